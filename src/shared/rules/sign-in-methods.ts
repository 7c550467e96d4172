/** The methods of a second step for an account whose second factor is not its mailbox. */
export const signInMethods = ["totp", "passkey", "recovery"] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** Six digits of an authenticator app. */
export const totpCodePattern = /^\d{6}$/;
/** Sixteen letters and digits, grouped or not. */
export const recoveryCodePattern = /^[0-9A-Za-z](?:[ -]?[0-9A-Za-z]){15}$/;
