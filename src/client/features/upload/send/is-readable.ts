/** Whether the browser can still read a picked ZIP: false once it was changed, moved or deleted, or its disc is out. */
export async function isReadable(zip: Blob): Promise<boolean> {
  try {
    return (await zip.slice(0, 4).arrayBuffer()).byteLength === 4;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return false;
  }
}
