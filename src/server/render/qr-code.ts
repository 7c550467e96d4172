import encodeQR from "qr";

/** The squares of a QR code, dark ones true, in a margin of one square: it stands on white paper. */
export function qrModules(text: string): boolean[][] {
  return encodeQR(text, "raw", { ecc: "medium", border: 1 });
}

/** A QR code as a vector image, sharp at any size, with the white margin that readers need. */
export function qrSvg(text: string): string {
  return encodeQR(text, "svg", { ecc: "medium", border: 4 }).replace(
    "<svg ",
    '<svg shape-rendering="crispEdges" ',
  );
}

/** The same as a `data:` URL. */
export function drawQrCode(text: string): string {
  return `data:image/svg+xml;base64,${Buffer.from(qrSvg(text)).toString("base64")}`;
}
