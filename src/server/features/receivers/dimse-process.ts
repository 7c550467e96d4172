import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import type { Subprocess } from "bun";
import type { Config } from "../../config.ts";
import type { AssociationRequest, StoreResult } from "../../dimse/association.ts";
import type { TlsIdentity } from "../../dimse/listen.ts";
import { describeError, type Logger } from "../../runtime/log.ts";
import { OperatorError } from "../../runtime/operator-error.ts";
import type {
  Admission,
  ArrivedInstance,
  DimseQuestions,
  FromDimse,
  Question,
  QuestionName,
  StartDimse,
  ToDimse,
} from "./worker/dimse-messages.ts";
import type { InstanceJudge, Party } from "./worker/instance-judge.ts";

/** What the process that speaks to DICOM senders asks. */
export interface DimseHandler {
  admit(asked: AssociationRequest): Promise<Admission>;
  /** Whose an association is; `undefined` once it has ended. */
  partyOf(association: string): Party | undefined;
  /** Whether the disk has room for so many more bytes of the instance that is arriving. */
  reserve(association: string, bytes: number): Promise<boolean>;
  /** Keeps the file of an instance. */
  store(instance: ArrivedInstance & { path: string }): Promise<StoreResult>;
  end(association: string): Promise<void>;
  /** The process is gone, and its associations with it. */
  lost(): Promise<void>;
}

/** Another program listens on the port, or the system lets nobody listen there, or the certificate is none. */
export class ReceiverCannotListen extends OperatorError {
  override name = "ReceiverCannotListen";
  constructor({ host, port }: Pick<StartDimse, "host" | "port">, detail: string) {
    super(
      `Nothing can listen for DICOM senders on port ${port} of ${host} (${detail}): look at DIMSE_PORT, DIMSE_HOST and the certificate.`,
    );
  }
}

/** The process that listens for DICOM senders, if the server is to. */
export interface DimseProcess {
  /** Where it listens; `undefined` while it does not. */
  readonly port: number | undefined;
  /** @throws if the port can't be listened on */
  start(handler: DimseHandler): Promise<void>;
  close(): Promise<void>;
}

export interface DimseProcessOptions {
  config: Pick<Config, "dimse">;
  log: Logger;
  folder: string;
  command: readonly string[] | undefined;
  judge: InstanceJudge;
  /** How often the files of the certificate are read again. */
  renewMs?: number;
}

type TlsFiles = NonNullable<NonNullable<Config["dimse"]>["tls"]>;

export const MAX_INSTANCE_BYTES = 2 * 1024 * 1024 * 1024;
/** Sockets; associations beyond those of `receptions.ts` are rejected by name. */
export const MAX_CONNECTIONS = 100;
const REQUEST_MS = 30_000;
/** Modalities keep an association open between two patients. */
export const IDLE_MS = 10 * 60_000;
const RESTART_MS = 2_000;
const RENEW_MS = 60_000;

export function createDimseProcess(options: DimseProcessOptions): DimseProcess {
  const { config, folder } = options;
  const { log, command = [process.execPath, join(import.meta.dir, "worker/dimse-worker.ts")] } = options;
  const { dimse } = config;
  let child: Subprocess | undefined;
  let renewing: NodeJS.Timeout | undefined;
  let port: number | undefined;
  let isClosing = false;

  async function answer(
    handler: DimseHandler,
    { name, ask }: Question,
  ): Promise<DimseQuestions[QuestionName]["answer"]> {
    switch (name) {
      case "admit":
        return await handler.admit(ask);
      case "reserve":
        return await handler.reserve(ask.association, ask.bytes);
      case "judge":
        return await options.judge.judge({ path: join(folder, ask.file), sizeBytes: ask.sizeBytes }, () =>
          handler.partyOf(ask.association),
        );
      case "store":
        return await handler.store({ ...ask, path: join(folder, ask.file) });
      case "end":
        await handler.end(ask.association);
        return null;
    }
  }

  async function spawn(handler: DimseHandler, start: StartDimse): Promise<void> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (isClosing) return;
    let isListening = false;
    const listening = Promise.withResolvers<void>();
    const send = (to: Subprocess, message: ToDimse) => to.send(message);
    const spawned = Bun.spawn([...command], {
      env: {},
      stdio: ["ignore", "ignore", "inherit"],
      serialization: "advanced",
      ipc(message: FromDimse, from) {
        if (message.kind === "ready") send(from, start);
        else if (message.kind === "listening") {
          port = message.port;
          isListening = true;
          listening.resolve();
        } else if (message.kind === "deaf") {
          listening.reject(new ReceiverCannotListen(start, message.detail));
        } else {
          const { id, question } = message;
          answer(handler, question)
            .then((answered) => send(from, { kind: "answer", id, answer: answered }))
            // Without an answer the association could wait for ever.
            .catch((error) => {
              if (isClosing) return;
              log.error("dimse.failed", describeError(error));
              from.kill("SIGKILL");
            });
        }
      },
      onExit() {
        port = undefined;
        listening.reject(new Error("the process for DIMSE ended"));
        if (isClosing || !isListening) return;
        log.warn("dimse.process_lost", {});
        void restart(handler, start);
      },
    });
    spawned.unref();
    child = spawned;
    try {
      await listening.promise;
    } catch (error) {
      // One that can't listen would stay.
      spawned.kill("SIGKILL");
      throw error;
    }
  }

  /** Starts the process again, and once more for as long as that fails: the disk may be full, or the port taken. */
  async function restart(handler: DimseHandler, start: StartDimse): Promise<void> {
    await handler.lost().catch((error) => log.error("dimse.failed", describeError(error)));
    for (;;) {
      await Bun.sleep(RESTART_MS);
      if (isClosing) return;
      try {
        return await spawn(handler, start);
      } catch (error) {
        log.error("dimse.failed", describeError(error));
      }
    }
  }

  /** Has later senders see a certificate that was renewed in its files, which a program replaces one after the other. */
  function renewIdentity(files: TlsFiles, start: StartDimse): void {
    let refused: string | undefined;
    const renew = async () => {
      try {
        const identity = await readIdentity(files);
        createSecureContext(identity);
        refused = undefined;
        if (Bun.deepEquals(identity, start.tls)) return;
        // Also for a process that is started later.
        start.tls = identity;
        if (port !== undefined) child?.send({ kind: "identify", identity } satisfies ToDimse);
        log.info("dimse.certificate_renewed", {});
      } catch (error) {
        if (String(error) !== refused) log.warn("dimse.certificate_refused", describeError(error));
        refused = String(error);
      }
    };
    const renewLater = () => {
      if (isClosing) return;
      renewing = setTimeout(() => void renew().then(renewLater), options.renewMs ?? RENEW_MS).unref();
    };
    renewLater();
  }

  return {
    get port() {
      return port;
    },
    async start(handler) {
      if (!dimse) return;
      const start: StartDimse = {
        kind: "start",
        host: dimse.host,
        port: dimse.port,
        tls: dimse.tls && (await readIdentity(dimse.tls)),
        folder,
        maxInstanceBytes: MAX_INSTANCE_BYTES,
        maxConnections: MAX_CONNECTIONS,
        requestMs: REQUEST_MS,
        idleMs: IDLE_MS,
      };
      await spawn(handler, start);
      if (dimse.tls) renewIdentity(dimse.tls, start);
      log.info("dimse.listening", { port });
    },
    async close() {
      isClosing = true;
      clearTimeout(renewing);
      child?.kill("SIGKILL");
      await child?.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @throws {OperatorError} if a file is empty: TLS takes it for none, and then refuses every sender. It also throws what reading throws. */
async function readIdentity({ certFile, keyFile }: TlsFiles): Promise<TlsIdentity> {
  const read = async (path: string) => {
    const pem = await Bun.file(path).text();
    if (pem === "") throw new OperatorError(`${path} is empty`);
    return pem;
  };
  return { cert: await read(certFile), key: await read(keyFile) };
}
