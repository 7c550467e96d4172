import postgres from "postgres";

export type Sql = postgres.Sql;

/**
 * A postgres.js client. `url` may name a unix socket's folder as libpq does:
 * `postgres://user@localhost/db?host=/run/pg`. Connects at the first query.
 */
export function openPostgres(url: string, options: postgres.Options<Record<string, never>> = {}): Sql {
  return postgres(withoutHost(url), {
    connect_timeout: 10,
    onnotice: () => {}, // such as "relation exists, skipping"
    ...socketOf(url),
    ...options,
  });
}

/** postgres.js would send parameters that it does not know, such as libpq's `host`, to the server. */
function withoutHost(url: string): string {
  if (!HOST_PARAMETER.test(url)) return url;
  const address = new URL(url);
  address.searchParams.delete("host");
  return address.href;
}

function socketOf(url: string): { path: string } | undefined {
  if (!HOST_PARAMETER.test(url)) return undefined;
  const address = new URL(url);
  return { path: `${address.searchParams.get("host")}/.s.PGSQL.${address.port || 5432}` };
}

const HOST_PARAMETER = /[?&]host=(\/|%2f)/i;

/** The same address with another database. */
export function withDatabase(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}
