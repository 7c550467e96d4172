export interface Instruction {
  /** In capitals. */
  name: string;
  /** What follows it, with continued lines joined. */
  text: string;
}

/** The instructions of a Dockerfile, stage by stage; comments are left out. */
export function parseDockerfile(dockerfile: string): Instruction[][] {
  const lines = dockerfile
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [name = "", ...rest] = line.trim().split(" ");
    if (name.toUpperCase() === "FROM") stages.push([]);
    stages.at(-1)?.push({ name: name.toUpperCase(), text: rest.join(" ").trim() });
  }
  return stages;
}

/** The command by which the image of this stage asks whether it is healthy; it has to be one in JSON. */
export function healthCommand(stage: readonly Instruction[]): string[] {
  const text = stage.findLast(({ name }) => name === "HEALTHCHECK")?.text ?? "";
  const at = text.indexOf("CMD ");
  if (at < 0) throw new Error("the image has no health check");
  return JSON.parse(text.slice(at + 4)) as string[];
}
