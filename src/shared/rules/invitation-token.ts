/** The token itself says what it is for, so that the address, and whoever reads it, stays as it is. */
const MARK = "invitation-";

export function toInvitationToken(secret: string): string {
  return `${MARK}${secret}`;
}

/** Whether a link's token was made for somebody's first password; links of older mails do not say it. */
export function isInvitationToken(token: string): boolean {
  return token.startsWith(MARK);
}
