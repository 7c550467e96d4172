import postgres from "postgres";

export type Sql = postgres.Sql;

/**
 * A postgres.js client. `url` may name a unix socket's folder as libpq does: `postgres://user@localhost/db?host=/run/pg`.
 * Connects at the first query.
 */
export function openPostgres(url: string, options: postgres.Options<Record<string, never>> = {}): Sql {
  const address = new URL(url);
  const folder = address.searchParams.get("host");
  address.searchParams.delete("host");
  return postgres(address.href, {
    connect_timeout: 10,
    onnotice: () => {}, // such as "relation exists, skipping"
    ...(folder?.startsWith("/") && { path: `${folder}/.s.PGSQL.${address.port || 5432}` }),
    ...options,
  });
}

/** The same address with another database. */
export function withDatabase(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}
