import { expect, test } from "bun:test";
import { matchingUsers } from "../../../src/client/features/sharing/matching-users.ts";
import type { CurrentUser } from "../../../src/shared/api/users.ts";

function account(name: string, values: Partial<CurrentUser> = {}): CurrentUser {
  return {
    ...{ id: name, name, email: `${name.toLowerCase().replace(/\W/g, "")}@exemplo.com.br`, cpfcnpj: null },
    ...{ role: "doctor", isTrial: false, isAuthorized: true, createdAt: "2026-01-01T00:00:00.000Z" },
    ...{ expiresAt: null, profileImageUrl: null, termsAcceptedAt: null },
    ...values,
  };
}
const names = (users: CurrentUser[]) => users.map(({ name }) => name);

test("accounts are found by name or e-mail, regardless of case and accents", () => {
  const users = [account("Lívia Sá"), account("Otávio", { email: "livia@clinica.com.br" }), account("Rosa")];
  expect(names(matchingUsers(users, [], " LIVIA "))).toEqual(["Lívia Sá", "Otávio"]);
  expect(names(matchingUsers(users, [], "rosa@"))).toEqual(["Rosa"]);
  expect(matchingUsers(users, [], "ninguém")).toEqual([]);
});

test("at most six accounts are offered, without those that have the study, may not sign in or see every study", () => {
  const users = [
    account("Tem"),
    account("Bloqueada", { isAuthorized: false }),
    account("Admin", { role: "admin" }),
    ...Array.from({ length: 9 }, (_, i) => account(`Pessoa ${i}`)),
  ];
  const found = names(matchingUsers(users, [{ userId: "Tem" }], "exemplo"));
  expect(found).toEqual(["Pessoa 0", "Pessoa 1", "Pessoa 2", "Pessoa 3", "Pessoa 4", "Pessoa 5"]);
});
