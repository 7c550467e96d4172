import { TransferSyntax } from "../../../shared/dicom/transfer-syntax.ts";

/** Transfer syntaxes whose frames can have a lossless copy: those that lose nothing, but for HTJ2K itself. */
export const COPIED_SYNTAXES: ReadonlySet<string> = new Set([
  TransferSyntax.implicitLittleEndian,
  TransferSyntax.explicitLittleEndian,
  TransferSyntax.deflatedExplicitLittleEndian,
  TransferSyntax.explicitBigEndian,
  TransferSyntax.rleLossless,
  /** JPEG Lossless, any selection value and the first */
  "1.2.840.10008.1.2.4.57",
  "1.2.840.10008.1.2.4.70",
  /** JPEG-LS Lossless */
  "1.2.840.10008.1.2.4.80",
  /** JPEG 2000, lossless only */
  "1.2.840.10008.1.2.4.90",
]);
