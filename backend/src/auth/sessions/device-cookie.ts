import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { getRequestCookie } from '@nestjs/core/helpers/cookies/request-cookies.js';
import type { Request, Response } from 'express';
import { hashSecret } from '../../common/crypto/api-token.js';
import { RUNTIME, type Runtime } from '../../common/runtime.js';
import { cookieOptions } from './cookie-options.js';

const DEVICE_COOKIE = 'runward_device';
const COOKIE_PATH = '/api/auth';
const KEPT_SECONDS = 180 * 24 * 60 * 60;
const SECRET_BYTES = 32;

/** Browser from which a member has signed in, or is about to. */
export interface Device {
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

  mint(): Device {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    return { cookie: `${secret}.${this.macOf(secret).toString('base64url')}`, key: hashSecret(secret) };
  }

  read(request: Request): Device | null {
    const cookie = getRequestCookie(request, DEVICE_COOKIE);
    if (cookie === undefined) return null;
    const [secret = '', mac = '', ...rest] = cookie.split('.');
    const receivedMac = Buffer.from(mac, 'base64url');
    const own = this.macOf(secret);
    const isValid = rest.length === 0 && receivedMac.length === own.length && timingSafeEqual(receivedMac, own);
    return isValid ? { cookie, key: hashSecret(secret) } : null;
  }

  set(response: Response, device: Device): void {
    response.cookie(DEVICE_COOKIE, device.cookie, {
      ...cookieOptions(this.runtime, COOKIE_PATH),
      maxAge: KEPT_SECONDS * 1000,
    });
  }

  private macOf(secret: string): Buffer {
    return createHmac('sha256', this.macKey).update(secret).digest();
  }
}
