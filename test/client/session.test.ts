import "../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import {
  announceSessionEnd,
  beginSession,
  currentToken,
  endSession,
  endSessionIfSignedOut,
  keepWithSession,
  onSessionEndElsewhere,
  readKept,
  readStoredSession,
  renewSession,
  restoreSession,
} from "../../src/client/session.ts";
import { noteSignedOut } from "../../src/client/signed-out.ts";
import type { SignedInUser } from "../../src/shared/api/users.ts";
import { withDom } from "../support/client/dom.ts";

withDom();

const signedIn: SignedInUser = {
  id: "u1",
  name: "Helena",
  email: "helena@exemplo.com.br",
  cpfcnpj: null,
  role: "user",
  isTrial: false,
  isAuthorized: true,
  createdAt: "2026-01-01T00:00:00.000Z",
  expiresAt: null,
  profileImageUrl: null,
  termsAcceptedAt: null,
  token: "fresh",
};

describe("the session", () => {
  test("is read from session storage before local storage", () => {
    localStorage.setItem("token", "kept");
    expect(currentToken()).toBe("kept");
    sessionStorage.setItem("health-auth", JSON.stringify({ token: "tab" }));
    expect(currentToken()).toBe("tab");
  });

  test("is also read from its older key, and with the token on the user", () => {
    sessionStorage.setItem("healthAuth", JSON.stringify({ user: { token: "on-user" } }));
    expect(currentToken()).toBe("on-user");
  });

  test("is absent if the storage is unreadable", () => {
    sessionStorage.setItem("health-auth", "{broken");
    expect(readStoredSession()).toBeUndefined();
  });

  test("stays in the tab unless the person wants to stay signed in", () => {
    beginSession(signedIn, { keepConnected: false });
    expect(sessionStorage.getItem("health-auth")).toContain("fresh");
    expect(localStorage.getItem("token")).toBeNull();
    beginSession(signedIn, { keepConnected: true });
    expect(localStorage.getItem("token")).toBe("fresh");
  });

  test("begins and ends without the other tabs where Firefox keeps nothing of a page", () => {
    const { BroadcastChannel } = globalThis;
    const refuse = () => {
      throw new DOMException("The operation is insecure.", "SecurityError");
    };
    globalThis.BroadcastChannel = new Proxy(BroadcastChannel, { construct: refuse });
    try {
      const stop = onSessionEndElsewhere(() => {});
      expect(() => announceSessionEnd("password")).not.toThrow();
      stop();
    } finally {
      globalThis.BroadcastChannel = BroadcastChannel;
    }
  });

  test("leaves no stored data when it ends, but for a number that tells it from others", () => {
    beginSession(signedIn, { keepConnected: true });
    endSession("logout");
    expect(currentToken()).toBeUndefined();
    expect(sessionStorage.length).toBe(0);
    expect(Object.keys(localStorage)).toEqual(["signed-out"]);
    expect(localStorage.getItem("signed-out")).toMatch(/^\[\d+\]$/);
  });

  describe("of which another tab has a copy that heard nothing", () => {
    const copy = () => {
      const kept = { ...sessionStorage };
      return () => {
        for (const [key, value] of Object.entries(kept)) sessionStorage.setItem(key, value);
      };
    };

    test("is over there too once the person signed out, with what was kept for them", () => {
      beginSession(signedIn, { keepConnected: false });
      keepWithSession("the list of this session");
      const reopen = copy();
      endSession("logout");
      reopen();
      expect(restoreSession()).toBeUndefined();
      expect([currentToken(), readKept()]).toEqual([undefined, undefined]);
      expect(sessionStorage.length).toBe(0);
    });

    test("makes room there for the next person, who loses nothing", () => {
      beginSession(signedIn, { keepConnected: false });
      keepWithSession("the list of this session");
      const reopen = copy();
      endSession("logout");
      beginSession({ ...signedIn, id: "u2", token: "of the next" }, { keepConnected: true });
      keepWithSession("the list of the next");
      sessionStorage.clear();
      reopen();
      expect(restoreSession()).toEqual({ token: "of the next" });
      expect(readKept()).toBe("the list of the next");
    });

    test("goes on there if it only expired, or if the person signed out of another one", () => {
      beginSession(signedIn, { keepConnected: false });
      const reopen = copy();
      endSession("expired");
      beginSession({ ...signedIn, token: "another" }, { keepConnected: false });
      endSession("logout");
      reopen();
      expect(restoreSession()?.token).toBe("fresh");
    });

    test("is known to be over after many others", () => {
      const reopens = Array.from({ length: 20 }, (_, n) => {
        beginSession({ ...signedIn, token: `token ${n}` }, { keepConnected: false });
        const reopen = copy();
        endSession("logout");
        return reopen;
      });
      for (const reopen of reopens) {
        reopen();
        expect(restoreSession()).toBeUndefined();
      }
    });
  });

  test("continues with a renewed token, which outlives the tab only if the old one did", () => {
    const { token: _, ...user } = signedIn;
    beginSession(signedIn, { keepConnected: false });
    renewSession({ token: "renewed", user });
    expect(currentToken()).toBe("renewed");
    expect(localStorage.getItem("token")).toBeNull();
    beginSession(signedIn, { keepConnected: true });
    renewSession({ token: "renewed", user });
    expect(localStorage.getItem("token")).toBe("renewed");
  });

  test("changes nothing of what another person keeps in the browser, who signed in in another tab", () => {
    const { token: _, ...user } = signedIn;
    beginSession(signedIn, { keepConnected: false });
    localStorage.setItem("token", "of somebody else");
    keepWithSession("the list of this session");
    expect(Object.values(localStorage).join()).not.toContain("the list of this session");
    expect(readKept()).toBe("the list of this session");
    renewSession({ token: "renewed", user });
    expect([currentToken(), localStorage.getItem("token")]).toEqual(["renewed", "of somebody else"]);
  });

  test("keeps nothing that is known only after its end, as the answer of a call that was under way", () => {
    for (const keepConnected of [false, true]) {
      beginSession(signedIn, { keepConnected });
      endSession("expired");
      keepWithSession("the list of this session");
      expect(readKept()).toBeUndefined();
    }
  });

  test("hands nothing of this page to another person who stays signed in, once it ended", () => {
    beginSession(signedIn, { keepConnected: false });
    localStorage.setItem("token", "of somebody else");
    localStorage.setItem("kept-with-session", JSON.stringify("their list"));
    endSession("expired");
    keepWithSession("the list of this session");
    expect(currentToken()).toBeUndefined();
    expect(JSON.stringify({ ...localStorage })).not.toContain("the list of this session");
    expect(restoreSession()?.token).toBe("of somebody else");
    expect(currentToken()).toBe("of somebody else");
  });

  test("leaves the session renewed by another tab alone when it expires, and ends it on logout", () => {
    beginSession(signedIn, { keepConnected: true });
    localStorage.setItem("token", "renewed elsewhere");
    endSession("expired");
    expect(localStorage.getItem("token")).toBe("renewed elsewhere");
    beginSession(signedIn, { keepConnected: false });
    localStorage.setItem("token", "renewed elsewhere");
    endSession("logout");
    expect(localStorage.getItem("token")).toBeNull();
  });

  describe("beside that of another person, who stays connected", () => {
    /** Another tab's session: what it keeps is the browser's, not this tab's. */
    function stayConnected(): void {
      const { ...tab } = sessionStorage;
      beginSession({ ...signedIn, id: "u2", token: "of the other" }, { keepConnected: true });
      keepWithSession("their list");
      sessionStorage.clear();
      for (const [key, value] of Object.entries(tab)) sessionStorage.setItem(key, value);
      restoreSession();
    }
    const kept = () => [localStorage.getItem("token"), localStorage.getItem("kept-with-session")];

    for (const reason of ["logout", "expired"] as const)
      test(`ends alone (${reason}), and leaves theirs as it is`, () => {
        beginSession(signedIn, { keepConnected: false });
        stayConnected();
        endSession(reason);
        expect(kept()).toEqual(["of the other", JSON.stringify("their list")]);
      });

    for (const [how, end] of [
      ["they signed out of it", () => endSession("logout")],
      ["it expired", () => endSession("expired")],
      [
        "they signed out of it in another tab",
        () => {
          noteSignedOut("fresh");
          endSessionIfSignedOut();
        },
      ],
    ] as const)
      test(`does not hand them this tab once ${how}, until somebody logs in here`, () => {
        beginSession(signedIn, { keepConnected: false });
        stayConnected();
        end();
        expect(restoreSession()).toBeUndefined();
        expect(currentToken()).toBeUndefined();
        beginSession(signedIn, { keepConnected: true });
        endSession("expired");
        localStorage.setItem("token", "of a later visit");
        expect(restoreSession()?.token).toBe("of a later visit");
      });

    test("ends with the one that the same person renewed in another tab", () => {
      const { token: _, ...user } = signedIn;
      beginSession(signedIn, { keepConnected: true });
      const { ...tab } = sessionStorage;
      renewSession({ token: "renewed", user });
      sessionStorage.clear();
      for (const [key, value] of Object.entries(tab)) sessionStorage.setItem(key, value);
      restoreSession();
      endSession("logout");
      expect(kept()).toEqual([null, null]);
    });
  });

  test("notifies the other tabs when it ends", async () => {
    const told = Promise.withResolvers<unknown>();
    const stop = onSessionEndElsewhere(({ data }) => told.resolve(data));
    beginSession(signedIn, { keepConnected: false });
    endSession("logout");
    expect(await told.promise).toBe("logout");
    stop();
  });
});
