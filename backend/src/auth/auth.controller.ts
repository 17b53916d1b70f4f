import { Body, Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public, Requires } from '../common/access/policy.js';
import { Caller, type Principal, type RunwardRequest } from '../common/access/principal.js';
import { Guessable } from '../common/http/limits/rate-limits.js';
import { Route } from '../common/http/route.js';
import { RUNTIME, type Runtime } from '../common/settings/runtime.js';
import { LoginRequest } from './auth.dto.js';
import { MeView } from './auth.view.js';
import { createCookieOptions, DeviceCookies } from './sessions/device-cookie.js';
import { CredentialResolver, SESSION_COOKIE_NAME } from './authentication.js';
import { LoginService, SESSION_LIFETIME_SECONDS } from './login/login.service.js';
import { MeReader } from './me.reader.js';

@ApiTags('Authentication')
@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly logins: LoginService,
    private readonly credentials: CredentialResolver,
    private readonly devices: DeviceCookies,
    private readonly mes: MeReader,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  @Post('login')
  @Public({ allowedWhileHeld: true })
  @Guessable()
  @Route({
    id: 'login',
    summary: 'Sign in with email address and password',
    description:
      'Sets an HttpOnly session cookie and a device cookie. Failed sign-ins of other clients do not delay a known device. After failed sign-ins the answer is 429 `too_many_attempts`, with a growing delay.',
    answer: MeView,
    problems: [400, 401, 409, 413, 415],
    open: true,
  })
  async login(
    @Body() body: LoginRequest,
    @Req() request: Request & RunwardRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MeView> {
    const address = request.ip ?? '';
    const knownDevice = this.devices.readDevice(request);
    const device = knownDevice ?? this.devices.createDevice();
    const secret = await this.logins.login({
      ...body,
      address,
      device: device.key,
      knownDevice: knownDevice !== null,
      userAgent: request.headers['user-agent'] ?? '',
      requestId: request.requestId,
    });
    response.cookie(SESSION_COOKIE_NAME, secret, { ...this.cookieOptions(), maxAge: SESSION_LIFETIME_SECONDS * 1000 });
    this.devices.setDeviceCookie(response, device);
    const principal = await this.credentials.resolveCredential({ kind: 'session', secret }, address, request.requestId);
    if (!principal) throw new Error('A session that was just opened did not resolve.');
    return this.mes.read(principal);
  }

  @Post('logout')
  @Requires('viewer', { reach: 'caller', allowedWhileHeld: true, people: false })
  @Route({ id: 'logout', summary: 'End the current session', answer: null })
  async logout(@Caller() caller: Principal, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.logins.logout(caller);
    response.clearCookie(SESSION_COOKIE_NAME, this.cookieOptions());
  }

  @Get('me')
  @Requires('viewer', { reach: 'caller' })
  @Route({ id: 'getMe', summary: 'Get the current user and permissions', answer: MeView })
  me(@Caller() caller: Principal): Promise<MeView> {
    return this.mes.read(caller);
  }

  private cookieOptions() {
    return createCookieOptions(this.runtime, '/');
  }
}
