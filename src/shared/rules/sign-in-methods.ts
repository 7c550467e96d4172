/** What the second step of a sign-in takes, for an account with a factor that is not its mailbox. */
export const signInMethods = ["totp", "passkey", "recovery"] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** Six digits of an authenticator app. */
export const totpCodePattern = /^\d{6}$/;
/** Sixteen letters and digits, in groups or not. */
export const recoveryCodePattern = /^[0-9A-Za-z](?:[ -]?[0-9A-Za-z]){15}$/;
