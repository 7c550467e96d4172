import encodeQR from "qr";

/** The squares of a QR code, dark ones true, in a margin of one square: it stands on white paper. */
export function qrModules(text: string): boolean[][] {
  return encodeQR(text, "raw", { ecc: "medium", border: 1 });
}

/** A QR code as a `data:` URL. It is a vector image, sharp at any size, with the white margin that readers need. */
export function drawQrCode(text: string): string {
  const svg = encodeQR(text, "svg", { ecc: "medium", border: 4 }).replace(
    "<svg ",
    '<svg shape-rendering="crispEdges" ',
  );
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
}
