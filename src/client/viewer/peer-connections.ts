const PEERS = ["RTCPeerConnection", "webkitRTCPeerConnection"];

/**
 * Removes WebRTC from the page before anything else runs. WebRTC can reach any address despite the page's policy, because
 * browsers do not support the `webrtc` directive. A sandboxed page can't borrow WebRTC from frames that it creates,
 * because they have another origin.
 */
export function removePeerConnections(page: object): void {
  for (const name of PEERS) Reflect.deleteProperty(page, name);
}
