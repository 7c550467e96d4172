/** What happens to a table's rows when their account is deleted. */
export type Erasure =
  /** Deleted by a cascading reference to the account, or by the deletion itself. */
  | "deleted"
  /** The rows stay under an id that nothing links to a person. */
  | "pseudonymised"
  /** Short-lived: deleted automatically within the time given in `kept`. */
  | "expires";

export interface PersonalData {
  /** The file of the export that contains it; null if the table holds only a secret or a counter. */
  exportedIn: string | null;
  erasure: Erasure;
  /** How long it is kept while the account exists, or why. */
  kept: string;
}

/** Marks a table without personal data. */
const noPersonalData = null;

/**
 * Every table of the database, with the personal data it holds. A test fails for a table that is missing here, so that each
 * new table gets an entry.
 */
export const personalData: Record<string, PersonalData | typeof noPersonalData> = {
  access_tokens: {
    exportedIn: "account.json",
    erasure: "deleted",
    kept: "until ended, or 30 days after they expire; hashes",
  },
  audit_events: {
    exportedIn: "audit.json",
    erasure: "pseudonymised",
    kept: "with the account; after it 5 years, addresses 6 months (Marco Civil art. 15)",
  },
  backups: noPersonalData,
  derivatives: { exportedIn: null, erasure: "deleted", kept: "made of the images, which are exported" },
  delivery_requests: {
    exportedIn: "account.json",
    erasure: "deleted",
    kept: "until 90 days after they end; hashes",
  },
  deliveries: {
    exportedIn: "account.json",
    erasure: "deleted",
    kept: "with the request: who delivered, as they said",
  },
  devolucoes: { exportedIn: "account.json", erasure: "pseudonymised", kept: "as payments" },
  doctor_invitations: {
    exportedIn: "account.json",
    erasure: "deleted",
    kept: "7 days at most; the address of who was invited",
  },
  downloads: { exportedIn: null, erasure: "deleted", kept: "counters; the audit tells of downloads" },
  email_stops: { exportedIn: "account.json", erasure: "deleted", kept: "days" },
  grants: { exportedIn: "exams.json, account.json", erasure: "deleted", kept: "until revoked" },
  integrity_findings: {
    exportedIn: null,
    erasure: "deleted",
    kept: "ids of objects whose bytes changed, with the exam; 2 years at most",
  },
  known_places: { exportedIn: "account.json", erasure: "deleted", kept: "180 days; hashes" },
  lab_exams: { exportedIn: "exams.json, lab/", erasure: "deleted", kept: "until deleted" },
  login_challenges: { exportedIn: null, erasure: "deleted", kept: "10 minutes; hashes" },
  mail_choices: { exportedIn: "account.json", erasure: "deleted", kept: "with the account" },
  mail_ledger: { exportedIn: null, erasure: "expires", kept: "hashes, an hour" },
  mailed_links: { exportedIn: "account.json", erasure: "deleted", kept: "7 days at most" },
  nodes: noPersonalData,
  notifications: { exportedIn: "account.json", erasure: "deleted", kept: "the newest hundred" },
  object_sums: { exportedIn: null, erasure: "deleted", kept: "sums of the bytes, with the study" },
  passkeys: { exportedIn: "account.json", erasure: "deleted", kept: "until removed" },
  payments: { exportedIn: "account.json", erasure: "pseudonymised", kept: "as books must be" },
  pending_logins: { exportedIn: null, erasure: "deleted", kept: "10 minutes; hashes" },
  plans: noPersonalData,
  receipt_keys: noPersonalData,
  receipts: { exportedIn: "exams.json, receipts/", erasure: "deleted", kept: "with the study; its last 20" },
  recovery_codes: { exportedIn: "account.json", erasure: "deleted", kept: "hashes; how many are left" },
  removals: { exportedIn: "exams.json", erasure: "deleted", kept: "with the account" },
  reports: { exportedIn: "exams.json, reports/", erasure: "deleted", kept: "until deleted" },
  resumable_parts: noPersonalData,
  resumable_uploads: {
    exportedIn: "account.json",
    erasure: "expires",
    kept: "7 days after the last byte; with the account at once, but for ids, an hour",
  },
  scrub_rounds: noPersonalData,
  series: { exportedIn: "exams.json", erasure: "deleted", kept: "with the study" },
  series_thumbnails: { exportedIn: null, erasure: "deleted", kept: "made of the images, which are exported" },
  sessions: { exportedIn: "account.json", erasure: "deleted", kept: "7 days" },
  share_link_studies: { exportedIn: "account.json", erasure: "deleted", kept: "with the link" },
  share_link_visits: {
    exportedIn: "account.json",
    erasure: "deleted",
    kept: "with the link, the newest 500: time, address and device of its visitors",
  },
  receivers: { exportedIn: "account.json", erasure: "deleted", kept: "until removed" },
  retired_titles: {
    exportedIn: "audit.json",
    erasure: "pseudonymised",
    kept: "a year after the receiver ended: its senders must not reach another account",
  },
  share_links: {
    exportedIn: "account.json",
    erasure: "deleted",
    kept: "until 90 days after they end; hashes",
  },
  storage_tallies: { exportedIn: null, erasure: "deleted", kept: "counts of the bytes" },
  stored_objects: { exportedIn: "DICOM/", erasure: "deleted", kept: "with the study" },
  studies: { exportedIn: "exams.json", erasure: "deleted", kept: "until deleted; 72 h after a cancellation" },
  study_tallies: { exportedIn: null, erasure: "deleted", kept: "counts of the studies" },
  subscription_notices: { exportedIn: null, erasure: "deleted", kept: "which mails went out" },
  subscriptions: { exportedIn: "account.json", erasure: "deleted", kept: "with the account" },
  support_messages: { exportedIn: "support.json, support/", erasure: "deleted", kept: "1 year" },
  throttles: { exportedIn: null, erasure: "expires", kept: "hashes, a day at most" },
  totp_secrets: { exportedIn: "account.json", erasure: "deleted", kept: "sealed; whether there is one" },
  trusted_devices: { exportedIn: "account.json", erasure: "deleted", kept: "30 days" },
  uploads: { exportedIn: null, erasure: "pseudonymised", kept: "ids and times, to sweep what a crash left" },
  usage_events: { exportedIn: "account.json", erasure: "deleted", kept: "with the account" },
  used_challenges: { exportedIn: null, erasure: "expires", kept: "hashes, minutes" },
  users: { exportedIn: "account.json", erasure: "deleted", kept: "until deleted" },
};
