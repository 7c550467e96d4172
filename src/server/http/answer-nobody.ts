/** For the log only: the client left before a byte was sent, and is not charged. */
const CLIENT_GONE = 499;

/** What is answered to a client that left before what it asked for was charged or recorded. */
export function answerNobody(): Response {
  return new Response(null, { status: CLIENT_GONE });
}
