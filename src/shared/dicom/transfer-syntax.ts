/** Transfer syntaxes that the code handles separately (PS3.5 annex A); all others are passed through. */
export const TransferSyntax = {
  implicitLittleEndian: "1.2.840.10008.1.2",
  explicitLittleEndian: "1.2.840.10008.1.2.1",
  deflatedExplicitLittleEndian: "1.2.840.10008.1.2.1.99",
  explicitBigEndian: "1.2.840.10008.1.2.2",
  rleLossless: "1.2.840.10008.1.2.5",
  /** High-Throughput JPEG 2000, lossless only: any progression order. */
  htJpeg2000Lossless: "1.2.840.10008.1.2.4.201",
  /** High-Throughput JPEG 2000 with RPCL options, lossless only: the syntax of derivatives. */
  htJpeg2000Rpcl: "1.2.840.10008.1.2.4.202",
} as const;

/** Whether the data set behind File Meta Information is compressed as a whole (PS3.5 §A.5). */
export function isDeflatedDataSet(transferSyntaxUID: string | undefined): boolean {
  return transferSyntaxUID === TransferSyntax.deflatedExplicitLittleEndian;
}

/**
 * Whether the pixel data are one video stream (MPEG-2, MPEG-4, HEVC): its frames cannot be cut apart without
 * decoding (PS3.5 §A.4.5 to §A.4.9).
 */
export function isVideo(transferSyntaxUID: string): boolean {
  return /^1\.2\.840\.10008\.1\.2\.4\.10[0-8](\.1)?$/.test(transferSyntaxUID);
}

/**
 * Returns the syntax in which the frames of an instance are sent as stored (AvailableTransferSyntaxUID of the metadata):
 * a deflated data set is Explicit VR Little Endian once it is inflated.
 */
export function frameTransferSyntaxUID(transferSyntaxUID: string): string {
  return isDeflatedDataSet(transferSyntaxUID) ? TransferSyntax.explicitLittleEndian : transferSyntaxUID;
}
