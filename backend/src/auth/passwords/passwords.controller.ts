import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public, Requires } from '../../common/access/policy.js';
import { Caller, type Principal, type RunwardRequest } from '../../common/access/principal.js';
import { Guessable } from '../../common/http/limits/rate-limits.js';
import { Route } from '../../common/http/route.js';
import { PasswordLinks } from '../../tenancy/password-links.js';
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
    summary: "Change the caller's password",
    description: "Ends the caller's other sessions; API tokens stay. A wrong current password is 400 `wrong_password`.",
    answer: null,
    problems: [400, 413, 415],
  })
  change(
    @Caller() caller: Principal,
    @Body() body: ChangePasswordRequest,
    @Req() request: Request & RunwardRequest,
  ): Promise<void> {
    return this.passwords.change(caller, body, this.devices.read(request)?.key ?? null);
  }

  @Post('set-password')
  @Public()
  @Guessable()
  @Route({
    id: 'setPassword',
    summary: 'Set a password by a one-time link',
    description:
      'Uses the link up and ends the sessions of the member. A link that does not hold is 404 `link_invalid`.',
    answer: null,
    problems: [400, 404, 413, 415],
    open: true,
  })
  async set(
    @Body() body: SetPasswordRequest,
    @Req() request: Request & RunwardRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    const device = this.devices.read(request) ?? this.devices.mint();
    const { requestId } = request;
    await this.links.use({ ...body, address: request.ip ?? '', device: device.key, requestId });
    this.devices.set(response, device);
  }
}
