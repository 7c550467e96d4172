import type { AssociationRequest, AssociationSink } from "../../../dimse/association.ts";
import { type DimseListener, listenForAssociations } from "../../../dimse/listen.ts";
import type { RejectionName } from "../../../dimse/pdu.ts";
import { InstanceFile } from "./arriving-instance.ts";
import type {
  DimseQuestions,
  FromDimse,
  Question,
  QuestionName,
  StartDimse,
  ToDimse,
} from "./dimse-messages.ts";
import { IMPLEMENTATION } from "./implementation.ts";

/*
 * The process that speaks to DICOM senders, started by `dimse-process.ts`. What a hostile peer sends harms this process only. It has no
 * access to the database: it asks the server who may store, and has it keep each instance before the sender hears of success.
 */

const waiting = new Map<number, (answer: unknown) => void>();
/** Ends the connection of an association. */
const cuts = new Map<string, () => void>();
let listener: DimseListener | undefined;
let asked = 0;
let files = 0;

function tell(message: FromDimse): void {
  process.send?.(message);
}

function ask<Name extends QuestionName>(
  question: Question & { name: Name },
): Promise<DimseQuestions[Name]["answer"]> {
  const id = ++asked;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  waiting.set(id, resolve);
  tell({ kind: "ask", id, question });
  return promise as Promise<DimseQuestions[Name]["answer"]>;
}

async function admit(
  start: StartDimse,
  peer: AssociationRequest,
  cut: () => void,
): Promise<AssociationSink | RejectionName> {
  const admitted = await ask({ name: "admit", ask: peer });
  if ("rejection" in admitted) return admitted.rejection;
  const { association, instead } = admitted;
  cuts.set(association, cut);
  if (instead !== undefined) cuts.get(instead)?.();
  const { folder, maxInstanceBytes: maxBytes } = start;
  let file: InstanceFile | undefined;
  return {
    async begin(instance) {
      file ??= new InstanceFile(folder, `${++files}.part`);
      const meta = { ...instance, sourceAETitle: peer.callingAETitle, implementation: IMPLEMENTATION };
      return file.begin(meta, {
        maxBytes,
        reserve: (bytes) => ask({ name: "reserve", ask: { association, bytes } }),
        judge: (written) => ask({ name: "judge", ask: { association, ...written } }),
        store: (arrived) => ask({ name: "store", ask: { association, ...arrived } }),
      });
    },
    async end() {
      cuts.delete(association);
      file?.[Symbol.dispose]();
      await ask({ name: "end", ask: { association } });
    },
  };
}

async function listen(start: StartDimse): Promise<void> {
  try {
    listener = await listenForAssociations({
      ...start,
      implementation: IMPLEMENTATION,
      admit: (peer, cut) => admit(start, peer, cut),
      // The association is aborted; its sender tries again.
      onFailure: () => undefined,
    });
    tell({ kind: "listening", port: listener.port });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    tell({ kind: "deaf", detail: code || "the port or the certificate can't be used" });
  }
}

// Ctrl-C reaches the whole process group, but the server ends this process itself.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("disconnect", () => process.exit(0));
process.on("message", (message: ToDimse) => {
  if (message.kind === "start") return void listen(message);
  if (message.kind === "identify") return listener?.identify(message.identity);
  waiting.get(message.id)?.(message.answer);
  waiting.delete(message.id);
});
tell({ kind: "ready" });
