import type { Role } from "../../src/shared/api/users.ts";

export interface DemoAccount {
  role: Role;
  name: string;
  email: string;
  password: string;
  /** What the account shows. */
  note: string;
  /** Registers on the entry page, as a visitor does; the operator adds the others. */
  registers?: { cpfcnpj: string };
}

/** One account for each way to use the product. The demo prints them at every start. */
export const DEMO_ACCOUNTS = {
  admin: {
    role: "admin",
    name: "Administrador",
    email: "admin@demo.exameteca",
    password: "demo-admin",
    note: "sees every study",
  },
  user: {
    role: "user",
    name: "Marina Gonçalves",
    email: "marina@demo.exameteca",
    password: "demo-marina",
    note: "has a plan and studies",
  },
  trial: {
    role: "user",
    name: "Tomás Araújo",
    email: "tomas@demo.exameteca",
    password: "demo-tomas",
    note: "on trial, one study",
    registers: { cpfcnpj: "529.982.247-25" },
  },
  doctor: {
    role: "doctor",
    name: "Dra. Inês Leão",
    email: "ines@demo.exameteca",
    password: "demo-ines",
    note: "sees the study that Marina shared",
  },
  lab: {
    role: "lab",
    name: "Laboratório São João",
    email: "laboratorio@demo.exameteca",
    password: "demo-laboratorio",
    note: "no studies yet",
  },
} as const satisfies Record<string, DemoAccount>;

/** Registers where accounts wait for an admin (`REGISTRATION=approval`). */
export const WAITING_ACCOUNT: DemoAccount = {
  role: "user",
  name: "Rita Fontoura",
  email: "rita@demo.exameteca",
  password: "demo-rita",
  note: "waits until the admin lets them in",
  registers: { cpfcnpj: "111.444.777-35" },
};

/** The accounts as a table for the terminal. */
export function accountsTable({
  url,
  registration,
}: {
  url: string;
  registration: string | undefined;
}): string {
  const accounts: DemoAccount[] = Object.values(DEMO_ACCOUNTS);
  if (registration === "approval") accounts.push(WAITING_ACCOUNT);
  const rows = accounts.map(({ role, email, password, note }) => [role, email, password, note]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(
    (row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   ")}`,
  );
  return `\nSign in at ${url} as\n\n${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}
