import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../src/server/db/embedded/embedded-postgres.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { zipFile } from "../../support/client/upload-files.ts";
import { testPostgresUrl } from "../../support/database/postgres-server.ts";
import { freePort } from "../../support/network/free-port.ts";
import { isAlive, processesNaming } from "../../support/program/process-tree.ts";
import { runProgram, startProgram } from "../../support/program/run-program.ts";
import { type ServerProcess, spawnServer } from "../../support/program/server-process.ts";
import { layStartedData } from "../../support/program/started-data.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

const TIMEOUT_MS = 120_000;

async function signIn(server: ServerProcess, email: string, password: string): Promise<number> {
  const answer = await fetch(`${server.url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  return answer.status;
}

describe("the configuration", () => {
  test("is refused with every bad value named at once, and changes nothing", async () => {
    await using folder = createTempFolder();
    const dataDir = join(folder.path, "data");
    const { code, output, complaint } = await runProgram({
      DATA_DIR: dataDir,
      PORT: "eighty",
      PUBLIC_URL: "example.com/path",
      DATABASE_URL: "mysql://localhost",
      AUTH_SECRET: "short",
      ADMIN_EMAIL: "nobody",
      REGISTRATION: "sometimes",
      S3_BUCKET: "alone",
      LOG_LEVEL: "loud",
      TRUST_PROXY: "10.0.0.0/8, 10.0.0.0/33, proxy.local",
      HOST: "not a host",
      MAIL_FROM: "garbage",
      SMTP_URL: "smtp:",
      TRIAL_DAYS: "1e3",
      DIMSE_TLS_CERT: "/nowhere/cert.pem",
    });
    expect(code).toBe(2);
    expect(output).toBe("");
    for (const name of [
      "PORT",
      "PUBLIC_URL",
      "DATABASE_URL",
      "AUTH_SECRET",
      "ADMIN_EMAIL",
      "REGISTRATION",
      "S3_ENDPOINT",
      "LOG_LEVEL",
      '"10.0.0.0/33"',
      '"proxy.local"',
      '"not a host"',
      "MAIL_FROM",
      "SMTP_URL must",
      "TRIAL_DAYS",
      "/nowhere/cert.pem",
    ]) {
      expect(complaint).toContain(name);
    }
    expect(complaint).not.toContain("mysql://localhost");
    expect(existsSync(dataDir)).toBe(false);
  });

  test("is refused before anything is made, whatever it lacks", async () => {
    await using folder = createTempFolder();
    const dataDir = join(folder.path, "data");
    const file = join(folder.path, "a file");
    writeFileSync(file, "");
    for (const [env, named] of [
      [{ SMTP_URL: "smtp://localhost", PORT: "x" }, "SMTP_URL without ADMIN_EMAIL"],
      [{ DIMSE_PORT: "4000", PORT: "4000" }, "DIMSE_PORT must be another one than PORT"],
      [{ DATABASE_URL: "postgres://" }, "DATABASE_URL must"],
      [{ DATA_DIR: file }, "DATA_DIR must be a folder"],
    ] as const) {
      const { code, complaint } = await runProgram({ DATA_DIR: dataDir, ...env });
      expect([code, complaint]).toEqual([2, expect.stringContaining(named)]);
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  test("that names what can't be reached is named, too", async () => {
    await using folder = createTempFolder();
    const port = await freePort();
    const env = {
      DATA_DIR: join(folder.path, "data"),
      DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/x`,
    };
    for (const command of [["serve"], ["verify"], ["backup", join(folder.path, "backup")], ["migrate"]]) {
      const { complaint } = await runProgram(env, ...command);
      expect(complaint).toBe("The database can't be reached (ECONNREFUSED): look at DATABASE_URL.\n");
    }
  });

  test("whose role or database PostgreSQL refuses is told as such", async () => {
    await using folder = createTempFolder();
    const known = new URL(await testPostgresUrl());
    const [stranger, elsewhere] = [new URL(known), new URL(known)];
    stranger.username = "nobody_known";
    elsewhere.pathname = "/no_such_database";
    for (const url of [stranger, elsewhere]) {
      const env = { DATA_DIR: join(folder.path, "data"), DATABASE_URL: url.href };
      for (const command of ["serve", "migrate"]) {
        const { code, complaint } = await runProgram(env, command);
        expect([code, complaint]).toEqual([
          1,
          expect.stringMatching(/^The database refuses us \((28|3D)\w+\): look/),
        ]);
      }
    }
  });

  test("that is invalid stops the other commands too", async () => {
    for (const command of [["migrate"], ["user", "add", "--email", "a@example.com"]]) {
      const { code, complaint } = await runProgram({ PORT: "-1" }, ...command);
      expect([code, complaint.includes("PORT")]).toEqual([2, true]);
    }
  });
});

describe("the command line", () => {
  test("lists its commands, and exits 2 for an unknown one", async () => {
    const help = await runProgram({}, "--help");
    expect(help.code).toBe(0);
    for (const command of ["serve", "migrate", "user add", "user set", "licenses"]) {
      expect(help.output).toContain(command);
    }
    const unknown = await runProgram({}, "destroy");
    expect(unknown.code).toBe(2);
    expect(unknown.complaint).toContain('no command "destroy"');
  });

  test("explains itself to whoever asks a command for help, and does nothing", async () => {
    await using folder = createTempFolder();
    const dataDir = join(folder.path, "data");
    for (const command of ["migrate", "serve", "backup"]) {
      const { code, output } = await runProgram({ DATA_DIR: dataDir }, command, "--help");
      expect([code, output.startsWith("Usage: exameteca")]).toEqual([0, true]);
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  test("finds no installation where there is none, and makes none", async () => {
    await using folder = createTempFolder();
    const dataDir = join(folder.path, "mistyped");
    for (const [args, expected] of [
      [["backup", join(folder.path, "backup")], 2],
      [["verify", "--json"], 2],
      [["import", folder.path, "--account", "ana@example.com"], 2],
      [["rebuild", "--account", "ana@example.com"], 2],
      [["user", "set", "--email", "ana@example.com"], 1],
      [["receipt-key", "rotate"], 1],
      [["receiver", "free", "CLINICA"], 1],
    ] as const) {
      const { code, complaint } = await runProgram({ DATA_DIR: dataDir }, ...args);
      expect([code, complaint]).toEqual([expected, expect.stringContaining("There is no installation in ")]);
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  test("prints the licence, whatever the configuration", async () => {
    const { code, output } = await runProgram({ PORT: "eighty" }, "licenses");
    expect(code).toBe(0);
    expect(output).toContain("Copyright 2026 Exameteca contributors");
  });

  test("prints it to a reader that stops before its end", async () => {
    await using program = startProgram({}, "licenses");
    await program.stdout.cancel();
    expect([await program.exited, await new Response(program.stderr).text()]).toEqual([0, ""]);
  });

  test("names the option that is missing or wrong, and makes no database for it", async () => {
    await using folder = createTempFolder();
    const env = { DATA_DIR: join(folder.path, "data") };
    for (const [args, named] of [
      [["user", "drop"], "user add, or user set"],
      [["user", "add", "--mail", "a@example.com"], "--mail"],
      [["user", "add", "--email", "no address"], "--email"],
      [
        ["user", "add", "--email", "a@example.com", "--name", "Zé"],
        "--name is missing or not valid: 3 to 200 characters",
      ],
      [
        ["user", "set", "--email", "a@example.com", "--password", "12345"],
        "not valid: 6 to 1,024 characters",
      ],
      [["user", "add", "--email", "a@example.com", "--role", "boss"], "admin, user, doctor, lab"],
      [["user", "add", "--email", "a@example.com", "--role", "boss"], "--role"],
      [["user", "set", "--email", "a@example.com", "--password", "short"], "--password"],
      [["user", "set", "--email", "a@example.com", "--password", "segredo", "--role", "admin"], "--role"],
      [["user", "add", "--email", "a@example.com", "--two-factor", "off"], "--two-factor"],
    ] as const) {
      const { code, complaint } = await runProgram(env, ...args);
      expect([code, complaint.includes(named)]).toEqual([2, true]);
    }
    expect(existsSync(env.DATA_DIR)).toBe(false);
  });
});

test(
  "migrate and user start the database of a data directory that nobody serves, and stop it again",
  async () => {
    await using folder = createTempFolder();
    const env = { DATA_DIR: folder.path };
    expect((await runProgram(env, "migrate")).output).toMatch(/^Applied \d+ migration/);
    expect((await runProgram(env, "migrate")).output).toBe("The database is up to date.\n");
    const added = await runProgram(env, "user", "add", "--email", "bia@example.com", "--role", "doctor");
    expect(added.code).toBe(0);
    const password = /\(password: (\S+)\)/.exec(added.output)?.[1] ?? "";
    expect(processesNaming(folder.path)).toEqual([]);

    await using server = await spawnServer(folder.path);
    expect(await signIn(server, "bia@example.com", password)).toBe(200);
  },
  TIMEOUT_MS,
);

test(
  "beside a running server the commands use its database, and a new password ends the sessions of the old one",
  async () => {
    await using folder = createTempFolder();
    const env = { DATA_DIR: folder.path };
    await using server = await spawnServer(folder.path);
    const token = await server.signIn();
    const isSignedIn = async () => {
      const answer = await fetch(`${server.url}/api/auth/me`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return answer.status;
    };
    expect(await isSignedIn()).toBe(200);

    expect((await runProgram(env, "migrate")).output).toBe("The database is up to date.\n");
    const caio = ["--email", "caio@example.com", "--password", "senha do caio"];
    expect((await runProgram(env, "user", "add", ...caio)).output).toBe("Added caio@example.com\n");
    expect(await signIn(server, "caio@example.com", "senha do caio")).toBe(200);
    const again = await runProgram(env, "user", "add", "--email", "CAIO@example.com");
    expect([again.code, again.complaint.includes("already an account")]).toEqual([2, true]);

    const admin = ["--email", "admin@example.com"];
    expect((await runProgram(env, "user", "set", ...admin)).complaint).toContain("Nothing to set");
    expect((await runProgram(env, "user", "set", ...admin, "--password", "uma senha nova")).code).toBe(0);
    expect(await isSignedIn()).toBe(401);
    expect(await signIn(server, "admin@example.com", "uma senha nova")).toBe(200);

    expect((await runProgram(env, "user", "set", ...admin, "--new-email", "chefe@example.com")).code).toBe(0);
    expect(await signIn(server, "chefe@example.com", "uma senha nova")).toBe(200);
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
  },
  TIMEOUT_MS,
);

test(
  "a port that another installation listens on is named, and not shared, and the first start on a free one tells the password",
  async () => {
    await using folder = createTempFolder();
    // Root's PostgreSQL runs as another account, which has to pass through.
    chmodSync(folder.path, 0o711);
    await using server = await spawnServer(join(folder.path, "first"));
    const { port } = new URL(server.url);
    const { code, complaint } = await runProgram({ DATA_DIR: join(folder.path, "second"), PORT: port });
    expect([code, complaint]).toEqual([
      1,
      `Another program listens on port ${port} of 127.0.0.1: set PORT or HOST.\n`,
    ]);
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
    const quiet = { DATA_DIR: join(folder.path, "second"), PORT: "0", LOG_LEVEL: "error" };
    await using free = startProgram(quiet, "serve");
    const { value } = await free.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toContain("shown only now");
    free.kill("SIGTERM");
    expect(await free.exited).toBe(0);
  },
  TIMEOUT_MS,
);

/** Ends a server's own PostgreSQL. Returns once it has ended, before the server starts it again. */
async function killPostgres(dataDir: string): Promise<void> {
  const [pid = "0"] = readFileSync(join(dataDir, "postgres/data/postmaster.pid"), "utf8").split("\n");
  process.kill(Number(pid), "SIGKILL");
  await until(() => !isAlive(Number(pid)));
}

test(
  "the program goes on after its PostgreSQL was killed while jobs ran, and does them",
  async () => {
    await using folder = createTempFolder();
    await using server = await spawnServer(folder.path);
    const headers = { authorization: `Bearer ${await server.signIn()}` };
    const studies = ["1", "2", "3", "4", "5"];
    for (const study of studies) {
      const form = new FormData();
      form.set("zipFile", zipFile({ "IM1.dcm": sampleInstance({ study }) }));
      expect(
        (await fetch(`${server.url}/api/upload-dicom`, { method: "POST", headers, body: form })).status,
      ).toBe(201);
    }
    await killPostgres(folder.path);
    await until(async () => (await fetch(`${server.url}/api/health`)).status === 200);
    expect(server.log().includes('"event":"postgres.ended"')).toBe(true);
    await until(async () => {
      const answer = await fetch(`${server.url}/api/studies`, { headers });
      if (answer.status !== 200) return false;
      const kept = (await answer.json()) as { storageStatus: string }[];
      return kept.filter(({ storageStatus }) => storageStatus === "b2").length === studies.length;
    }, TIMEOUT_MS);
  },
  TIMEOUT_MS,
);

test(
  "the program ends once another process has the data of its PostgreSQL, and says so",
  async () => {
    await using folder = createTempFolder();
    await using server = await spawnServer(folder.path);
    // Older versions don't look for it.
    await rm(join(folder.path, "postgres/keeper"));
    process.kill(server.pid, "SIGSTOP");
    await killPostgres(folder.path);
    const log = createLogger({ level: "error", write: () => {} });
    const other = await startEmbeddedPostgres({ dataDir: folder.path, log });
    try {
      process.kill(server.pid, "SIGCONT");
      expect(await server.exited).toBe(1);
      expect(server.log()).toMatch(/"what":"database".*"level":"error","event":"server\.lost"/);
    } finally {
      await other.stop();
    }
  },
  TIMEOUT_MS,
);

test("a cut secret is told, and not replaced by one that opens nothing", async () => {
  await using folder = createTempFolder();
  const path = join(folder.path, "auth-secret");
  for (const cut of ["", "short\n"]) {
    writeFileSync(path, cut);
    const { code, complaint } = await runProgram({ DATA_DIR: folder.path, PORT: "0" });
    expect([code, complaint]).toEqual([1, expect.stringContaining(`${path} is empty or cut`)]);
    expect(readFileSync(path, "utf8")).toBe(cut);
  }
}, 240_000);

test(
  "an address that is none of this machine's is named",
  async () => {
    await using folder = createTempFolder();
    // Root's PostgreSQL runs as another account, which has to pass through.
    chmodSync(folder.path, 0o711);
    const dataDir = join(folder.path, "data");
    await layStartedData(dataDir);
    // Of those that documents use (RFC 5737).
    const env = { DATA_DIR: dataDir, HOST: "192.0.2.1", PORT: "3000", PUBLIC_URL: "http://localhost" };
    const { code, complaint } = await runProgram(env);
    const reason =
      "The system lets nothing listen on port 3000 of 192.0.2.1 (EADDRNOTAVAIL): set PORT or HOST.";
    expect([code, complaint]).toEqual([1, `${reason}\n`]);
  },
  TIMEOUT_MS,
);
