/** Answers a stored PDF, which is shown in our own pane or saved, and never opened as a page of our origin. */
export function answerPdf(
  body: Blob | ReadableStream<Uint8Array>,
  document: { sizeBytes: number; fileName: string; isDownload: boolean },
): Response {
  const name = encodeURIComponent(document.fileName);
  return new Response(body, {
    headers: {
      "Content-Type": "application/pdf",
      "Content-Length": String(document.sizeBytes),
      "Content-Disposition": `${document.isDownload ? "attachment" : "inline"}; filename*=UTF-8''${name}`,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Cache-Control": "private, no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
