/** The smallest thing that counts as a PDF, told apart by its text. */
export function samplePdf(text = "laudo"): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`%PDF-1.7\n% ${text}\n%%EOF\n`);
}

interface FormFile {
  name: string;
  bytes: Uint8Array;
  fileName?: string;
  type?: string;
}

/** A multipart body as a browser sends it. */
export async function formBody(
  fields: Record<string, string>,
  ...files: FormFile[]
): Promise<{ body: ArrayBuffer; headers: Record<string, string> }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  for (const { name, bytes, fileName = "laudo.pdf", type = "application/pdf" } of files)
    form.append(name, new File([Uint8Array.from(bytes)], fileName, { type }));
  const request = new Request("http://localhost/", { method: "POST", body: form });
  const contentType = request.headers.get("content-type") ?? "";
  return { body: await request.arrayBuffer(), headers: { "content-type": contentType } };
}
