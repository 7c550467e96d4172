/** A form that the client sent by XMLHttpRequest. */
export interface SentForm {
  path: string;
  form: FormData;
  headers: Map<string, string>;
}

/** Stands in for XMLHttpRequest and answers each form with the next response; records the sent forms. */
export function answerForms(...answers: { status: number; body?: unknown }[]): SentForm[] {
  const sent: SentForm[] = [];
  class FormRequest {
    readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
    readonly #headers = new Map<string, string>();
    #path = "";
    status = 0;
    statusText = "";
    responseText = "";
    onload?: () => void;
    onloadend?: () => void;
    open(_method: string, path: string) {
      this.#path = path;
    }
    setRequestHeader(name: string, value: string) {
      this.#headers.set(name, value);
    }
    getResponseHeader() {
      return this.status >= 400 ? "application/problem+json" : "application/json";
    }
    abort() {}
    send(form: FormData) {
      sent.push({ path: this.#path, form, headers: this.#headers });
      const answer = answers.shift();
      if (!answer) throw new Error(`nobody expects a form to ${this.#path}`);
      queueMicrotask(() => {
        this.upload.onprogress?.({ loaded: 1, total: 1 });
        this.status = answer.status;
        this.responseText = JSON.stringify(answer.body ?? {});
        this.onload?.();
        this.onloadend?.();
      });
    }
  }
  globalThis.XMLHttpRequest = FormRequest as unknown as typeof XMLHttpRequest;
  return sent;
}
