/** Media Storage Directory Storage: what a DICOMDIR is (PS3.10 §8.6). */
export const MEDIA_STORAGE_DIRECTORY = "1.2.840.10008.1.3.10";

/** Encapsulated PDF Storage (PS3.4 §B.5). */
export const ENCAPSULATED_PDF = "1.2.840.10008.5.1.4.1.1.104.1";

/** Encapsulated CDA Storage: an HL7 clinical document in XML (PS3.3 §A.45.2). */
export const ENCAPSULATED_CDA = "1.2.840.10008.5.1.4.1.1.104.2";

/** Segmentations and parametric maps. */
const DRAWN_OVER = new Set(["66.4", "66.7", "30"].map((tail) => `1.2.840.10008.5.1.4.1.1.${tail}`));

/** Whether instances of the class are drawn over other images, never alone. */
export function isDrawnOverOthers(sopClassUID: string): boolean {
  return DRAWN_OVER.has(sopClassUID);
}
