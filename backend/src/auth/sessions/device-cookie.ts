import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { getRequestCookie } from '@nestjs/core/helpers/cookies/request-cookies.js';
import type { Request, Response } from 'express';
import { hashSecret } from '../../common/crypto/api-token.js';
import { RUNTIME, type Runtime } from '../../common/runtime.js';
import { cookieOptions } from './cookie-options.js';

const DEVICE_COOKIE = 'runward_device';
/** Only signing in and setting passwords ask for it. */
const PATH = '/api/auth';
const KEPT_SECONDS = 180 * 24 * 60 * 60;
const SECRET_BYTES = 32;

/** A browser that somebody signed in with, or is about to. */
export interface Device {
  /** Value of its cookie. */
  cookie: string;
  /** Hash of its secret: what is stored. */
  key: Buffer;
}

/**
 * The cookie that tells devices apart which signed in before. It signs nobody in: with it, wrong passwords are counted by
 * device instead of together with those of strangers. It is signed, so that made-up ones are known as such without
 * asking the database. Changing the master key voids all of them; their owners then count by network until they have
 * signed in again.
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

  /** The device that a request comes from; null without a cookie that was made here. */
  read(request: Request): Device | null {
    const cookie = getRequestCookie(request, DEVICE_COOKIE);
    if (cookie === undefined) return null;
    const [secret = '', mac = '', ...rest] = cookie.split('.');
    const given = Buffer.from(mac, 'base64url');
    const own = this.macOf(secret);
    const sound = rest.length === 0 && given.length === own.length && timingSafeEqual(given, own);
    return sound ? { cookie, key: hashSecret(secret) } : null;
  }

  set(response: Response, device: Device): void {
    response.cookie(DEVICE_COOKIE, device.cookie, {
      ...cookieOptions(this.runtime, PATH),
      maxAge: KEPT_SECONDS * 1000,
    });
  }

  private macOf(secret: string): Buffer {
    return createHmac('sha256', this.macKey).update(secret).digest();
  }
}
