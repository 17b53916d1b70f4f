import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CookieOptions, Request, Response } from 'express';
import { Inject, Injectable } from '@nestjs/common';
import { getRequestCookie } from '@nestjs/core/helpers/cookies/request-cookies.js';
import { type Runtime, RUNTIME } from '../../common/settings/runtime.js';
import { hashSecret } from '../../common/crypto/api-token.js';

/** Scripts and other sites can't read the cookie. It is sent only over https if the public address is https. */
export const createCookieOptions = ({ settings }: Runtime, path: string): CookieOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  path,
  secure: settings.publicUrl.startsWith('https:'),
});

const DEVICE_COOKIE_NAME = 'runward_device';
const COOKIE_PATH = '/api/auth';
const COOKIE_LIFETIME_SECONDS = 180 * 24 * 60 * 60;
const SECRET_BYTES = 32;

/** Browser from which a member has signed in, or is about to. */
export interface SignInDevice {
  cookie: string;
  key: Buffer;
}

/**
 * Cookie that identifies a device with an earlier sign-in; it does not authenticate. With the cookie, wrong passwords
 * are counted per device instead of together with those of unknown clients. The cookie is signed, so that forged ones
 * are rejected without a query. A new master key invalidates all cookies; until their next sign-in, attempts of the
 * owners are counted by network.
 */
@Injectable()
export class DeviceCookies {
  private readonly macKey: KeyObject;

  constructor(@Inject(RUNTIME) private readonly runtime: Runtime) {
    const bytes = hkdfSync('sha256', runtime.masterKey.key, '', 'runward device cookie v1', 32);
    this.macKey = createSecretKey(Buffer.from(bytes));
  }

  createDevice(): SignInDevice {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    return { cookie: `${secret}.${this.computeMac(secret).toString('base64url')}`, key: hashSecret(secret) };
  }

  readDevice(request: Request): SignInDevice | null {
    const cookie = getRequestCookie(request, DEVICE_COOKIE_NAME);
    if (cookie === undefined) return null;
    const [secret = '', mac = '', ...rest] = cookie.split('.');
    const receivedMac = Buffer.from(mac, 'base64url');
    const own = this.computeMac(secret);
    const isValid = rest.length === 0 && receivedMac.length === own.length && timingSafeEqual(receivedMac, own);
    return isValid ? { cookie, key: hashSecret(secret) } : null;
  }

  setDeviceCookie(response: Response, device: SignInDevice): void {
    response.cookie(DEVICE_COOKIE_NAME, device.cookie, {
      ...createCookieOptions(this.runtime, COOKIE_PATH),
      maxAge: COOKIE_LIFETIME_SECONDS * 1000,
    });
  }

  private computeMac(secret: string): Buffer {
    return createHmac('sha256', this.macKey).update(secret).digest();
  }
}
