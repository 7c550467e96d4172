/** The test DOM has no XMLHttpRequest; tests decide when this one answers. */
export class ToldRequest {
  static last: ToldRequest;
  upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  isAborted = false;
  headers: Record<string, string> = {};
  status = 0;
  statusText = "";
  responseText = "";
  body?: FormData;
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  onloadend?: () => void;
  /** Puts itself in the place of the browser's. */
  static install(): void {
    globalThis.XMLHttpRequest = ToldRequest as unknown as typeof XMLHttpRequest;
  }
  constructor() {
    ToldRequest.last = this;
  }
  open() {}
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  getResponseHeader() {
    return "application/json";
  }
  send(body: FormData) {
    this.body = body;
  }
  abort() {
    this.isAborted = true;
    this.onabort?.();
  }
  answer(status: number, body: unknown) {
    this.status = status;
    this.responseText = JSON.stringify(body);
    this.onload?.();
  }
}
