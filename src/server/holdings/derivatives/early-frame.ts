import { componentCount, firstComponent, hasColourTransform } from "../../../shared/pixels/code-stream.ts";

/** JPEG 2000 Image Compression (Lossless Only) */
const JPEG_2000 = "1.2.840.10008.1.2.4.90";

/**
 * Whether the frame of an early copy (`isEarly` of its index) may show something else than its original.
 * @param findSyntax finds the transfer syntax of the original, which is asked for only if it matters
 */
export async function maybeFalse(
  codeStream: Uint8Array,
  findSyntax: () => Promise<string | undefined>,
): Promise<boolean> {
  if (componentCount(codeStream) > 1) return !hasColourTransform(codeStream);
  const { bits, isSigned } = firstComponent(codeStream);
  return isSigned && (bits <= 8 || (await findSyntax()) === JPEG_2000);
}
