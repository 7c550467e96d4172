/** The part of XMLHttpRequest that libraries for browsers need, over fetch. */
export class FetchingXMLHttpRequest {
  readyState = 0;
  status = 0;
  responseType = "";
  response: unknown = null;
  onreadystatechange: () => void = () => {};
  onloadstart: () => void = () => {};
  onloadend: () => void = () => {};
  #method = "GET";
  #url = "";
  readonly #sent = new Headers();
  #received = new Headers();

  open(method: string, url: string): void {
    this.#method = method.toUpperCase();
    this.#url = url;
  }

  setRequestHeader(name: string, value: string): void {
    this.#sent.append(name, value);
  }

  getResponseHeader(name: string): string | null {
    return this.#received.get(name);
  }

  getAllResponseHeaders(): string {
    return Array.from(this.#received, ([name, value]) => `${name}: ${value}\r\n`).join("");
  }

  send(body?: BodyInit): void {
    void this.#fetch(body);
  }

  async #fetch(body: BodyInit | undefined): Promise<void> {
    this.onloadstart();
    const answer = await fetch(this.#url, { method: this.#method, headers: this.#sent, body });
    this.#received = answer.headers;
    const bytes = await answer.arrayBuffer();
    const isJson = this.responseType === "json" && bytes.byteLength > 0;
    const text = () => new TextDecoder().decode(bytes);
    this.response = isJson ? JSON.parse(text()) : this.responseType === "arraybuffer" ? bytes : text();
    this.status = answer.status;
    this.readyState = 4;
    this.onreadystatechange();
    this.onloadend();
  }
}
