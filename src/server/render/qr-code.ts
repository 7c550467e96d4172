import encodeQR from "qr";

/** A QR code as a `data:` URL. Vector, so that it is crisp at any size; white around it, as readers want it. */
export function drawQrCode(text: string): string {
  const svg = encodeQR(text, "svg", { ecc: "medium", border: 4 }).replace(
    "<svg ",
    '<svg shape-rendering="crispEdges" ',
  );
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
}
