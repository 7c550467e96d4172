/** One part of a `multipart/related` answer. */
export interface AnsweredPart {
  contentType: string;
  location: string;
  body: Buffer;
}

/** Splits an answer of parts by its own boundary. Throws for one that is not closed. */
export async function partsOf(answer: Response): Promise<AnsweredPart[]> {
  const boundary = /boundary=(.+)$/.exec(answer.headers.get("content-type") ?? "")?.[1];
  if (boundary === undefined) throw new Error(`${answer.status}: ${await answer.text()}`);
  const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  const [, ...parts] = text.split(`--${boundary}`);
  if (parts.pop() !== "--\r\n") throw new Error("the answer is not closed");
  return parts.map((part) => {
    const end = part.indexOf("\r\n\r\n");
    const head = part.slice(0, end);
    return {
      contentType: /^Content-Type: (.+)\r?$/m.exec(head)?.[1] ?? "",
      location: /^Content-Location: (.+)\r?$/m.exec(head)?.[1] ?? "",
      body: Buffer.from(part.slice(end + 4, -2), "latin1"),
    };
  });
}
