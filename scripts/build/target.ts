// Imported before the installation, so it imports no package.

/** A processor that a release for Linux is built for, as `TARGETARCH` of a container engine names it. */
export const ARCHITECTURES = ["amd64", "arm64"] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** One executable that the build can make. */
export interface Target {
  /** Below `dist`: what is generated for it. */
  folder: string;
  /** Below `dist`: the executable. */
  file: string;
  /** Unset: for the machine that builds it. */
  architecture?: Architecture;
  /** Compressed less, with the viewer as it was built last: for tests. */
  isQuick?: boolean;
}

export const ownTarget: Target = { folder: "executable", file: "exameteca" };
export const quickTarget: Target = { folder: "quick", file: "quick/exameteca", isQuick: true };

export function linuxTarget(architecture: Architecture): Target {
  const folder = `linux-${architecture}`;
  return { folder, file: `exameteca-${folder}`, architecture };
}

/** How npm and Node.js name the processor. */
export function nodeArchitecture(architecture: Architecture): "x64" | "arm64" {
  return architecture === "amd64" ? "x64" : architecture;
}

export function isThisMachine(architecture: Architecture): boolean {
  return process.platform === "linux" && process.arch === nodeArchitecture(architecture);
}

/** @throws where Linux has no such processor, or no release is built for it */
export function parseArchitecture(name: string): Architecture {
  const found = ARCHITECTURES.find((architecture) => architecture === name);
  if (!found) throw new Error(`the build knows no processor "${name}", only ${ARCHITECTURES.join(" and ")}`);
  return found;
}
