import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../common/access/policy.js';
import type { RunwardRequest } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { HostEnrolment } from './enrol-host.js';
import { ENROLMENT_SCRIPT } from './enrolment-script.js';
import { EnrolHostRequest } from './enrolments.dto.js';
import { formatHostAnswer, type HostAnswer } from './host-answer.js';
import type { HostRequest } from './used-enrolments.js';
import { HostVerification } from './verify-host.js';

/**
 * For hosts that present the token of an enrolment and no other credential. The decision about a known token has status
 * 200, because some shells receive no text with any other status.
 */
@ApiTags('Enrolment')
@Controller('api/enrol')
export class EnrolController {
  constructor(
    private readonly hosts: HostEnrolment,
    private readonly verification: HostVerification,
  ) {}

  @Get()
  @Public()
  @Route({
    id: 'getEnrolmentScript',
    summary: 'Get the script with which a host registers itself',
    description: 'POSIX shell, the same for every host. The command of an enrolment downloads and runs it.',
    answer: null,
    files: [{ media: 'text/plain', size: 'at most 64 KiB' }],
    open: true,
  })
  script(@Res({ passthrough: true }) response: Response): string {
    return setTextType(response, ENROLMENT_SCRIPT);
  }

  @Post()
  @Public()
  @Route({
    id: 'enrolHost',
    summary: 'Register the calling host with an enrolment',
    description:
      'Needs the token of an enrolment as a bearer token. Returns lines for a shell: `outcome registered` or `outcome refused`, `say …` with sentences for people, `key …` with the public key for `authorized_keys`. The same host (identified by its host keys) can repeat it.',
    answer: null,
    files: [{ media: 'text/plain', size: 'at most 64 KiB' }],
    problems: [400, 401, 413, 415],
    open: true,
  })
  async enrol(
    @Body() body: EnrolHostRequest,
    @Req() request: Request & RunwardRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return sendAnswer(response, await this.hosts.enrolHost(toHostRequest(request), body));
  }

  @Post('verify')
  @Public()
  @Route({
    id: 'verifyEnrolledHost',
    summary: 'Sign in to the host that an enrolment registered',
    description:
      'Needs the token of the enrolment as a bearer token. Runward signs in as a check does, with the pinned host keys and through the jump servers. Returns lines for a shell: `outcome` with `verified`, `again` (not reachable yet), `failed` or `refused`, and `say …`.',
    answer: null,
    files: [{ media: 'text/plain', size: 'at most 64 KiB' }],
    problems: [400, 401],
    open: true,
  })
  async verify(
    @Req() request: Request & RunwardRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return sendAnswer(response, await this.verification.verifyHost(toHostRequest(request)));
  }
}

const toHostRequest = ({ headers, ip, requestId }: Request & RunwardRequest): HostRequest => ({
  authorization: headers.authorization,
  address: ip ?? '',
  requestId,
});

const sendAnswer = (response: Response, answer: HostAnswer): string => setTextType(response, formatHostAnswer(answer));

function setTextType(response: Response, text: string): string {
  response.type('text/plain; charset=utf-8');
  return text;
}
