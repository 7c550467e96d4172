const PEERS = ["RTCPeerConnection", "webkitRTCPeerConnection"];

/**
 * Takes WebRTC from the page before anything else runs. It speaks to any address without asking the page's policy, whose
 * `webrtc` directive browsers do not know; frames that a sandboxed page makes are strangers to it and can't lend theirs.
 */
export function removePeerConnections(page: object): void {
  for (const name of PEERS) Reflect.deleteProperty(page, name);
}
