import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public, Requires } from '../../common/access/policy.js';
import { Caller, type Principal, type RunwardRequest } from '../../common/access/principal.js';
import { Guessable } from '../../common/http/limits/rate-limits.js';
import { Route } from '../../common/http/route.js';
import { PasswordLinks } from '../../tenancy/passwords/password-links.js';
import { DeviceCookies } from '../sessions/device-cookie.js';
import { ChangePasswordRequest, SetPasswordRequest } from './passwords.dto.js';
import { PasswordsService } from './passwords.service.js';

@ApiTags('Authentication')
@Controller('api/auth')
export class PasswordsController {
  constructor(
    private readonly passwords: PasswordsService,
    private readonly links: PasswordLinks,
    private readonly devices: DeviceCookies,
  ) {}

  @Post('password')
  @Requires('viewer', { people: true })
  @Guessable()
  @Route({
    id: 'changePassword',
    summary: 'Change your password',
    description: 'Ends your other sessions. API tokens stay valid. A wrong current password is 400 `wrong_password`.',
    answer: null,
    problems: [400, 413, 415],
  })
  change(
    @Caller() caller: Principal,
    @Body() body: ChangePasswordRequest,
    @Req() request: Request & RunwardRequest,
  ): Promise<void> {
    return this.passwords.changePassword(caller, body, this.devices.readDevice(request)?.key ?? null);
  }

  @Post('set-password')
  @Public()
  @Guessable()
  @Route({
    id: 'setPassword',
    summary: 'Set a password with a one-time link',
    description: 'Consumes the link and ends all sessions of the member. An invalid link is 404 `link_invalid`.',
    answer: null,
    problems: [400, 404, 413, 415],
    open: true,
  })
  async set(
    @Body() body: SetPasswordRequest,
    @Req() request: Request & RunwardRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    const device = this.devices.readDevice(request) ?? this.devices.createDevice();
    const { requestId } = request;
    await this.links.use({ ...body, address: request.ip ?? '', device: device.key, requestId });
    this.devices.setDeviceCookie(response, device);
  }
}
