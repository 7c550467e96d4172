import { OperatorError } from "../runtime/operator-error.ts";

/** The program can't work with the database of `DATABASE_URL`. The message says what to do and quotes no data. */
export abstract class DatabaseIsUnfit extends OperatorError {}

/** A pooler lends connections out for one transaction at a time. */
export class DatabaseIsPooled extends DatabaseIsUnfit {
  override name = "DatabaseIsPooled";
  constructor() {
    super(
      "DATABASE_URL leads to a pooler that shares connections between transactions, such as PgBouncer with pool_mode=transaction. Exameteca keeps prepared statements and listens in its sessions: name PostgreSQL itself, or a pooler with pool_mode=session.",
    );
  }
}

/** A pooler refuses the settings that come with each connection. */
export class DatabaseRefusesSettings extends DatabaseIsUnfit {
  override name = "DatabaseRefusesSettings";
  constructor() {
    super(
      "DATABASE_URL leads to a pooler that refuses the time limits of our connections. With PgBouncer, set ignore_startup_parameters=statement_timeout,idle_in_transaction_session_timeout and give the limits to the role instead: ALTER ROLE … SET statement_timeout='60s'; ALTER ROLE … SET idle_in_transaction_session_timeout='60s'.",
    );
  }
}

/** The database or its pooler does not give a few connections at once. */
export class DatabaseGivesTooFew extends DatabaseIsUnfit {
  override name = "DatabaseGivesTooFew";
  constructor() {
    super(
      "DATABASE_URL did not give a few connections at once in time. Each node holds up to 22: raise the pooler's default_pool_size, or PostgreSQL's max_connections.",
    );
  }
}
