import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { ListSessionsQuery } from './sessions.dto.js';
import { SessionsService } from './sessions.service.js';
import { SessionListView } from './sessions.view.js';

/** The caller's own sessions. */
@ApiTags('Authentication')
@Controller('api/auth/sessions')
export class OwnSessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @Requires('viewer')
  @Route({ id: 'listOwnSessions', summary: 'List your sessions', answer: SessionListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListSessionsQuery): Promise<SessionListView> {
    return this.sessions.list(caller, caller.userId, query);
  }

  @Delete(':id')
  @Requires('viewer', { people: false })
  @Route({ id: 'revokeOwnSession', summary: 'End one of your sessions', answer: null, problems: [404] })
  revoke(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.sessions.revoke(caller, caller.userId, id);
  }
}

/** Any member's sessions, for admins. */
@ApiTags('Members')
@Controller('api/members/:id/sessions')
export class MemberSessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @Requires('admin')
  @Route({
    id: 'listMemberSessions',
    summary: "List a member's sessions",
    answer: SessionListView,
    problems: [400, 404],
  })
  list(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListSessionsQuery,
  ): Promise<SessionListView> {
    return this.sessions.list(caller, id, query);
  }

  @Delete(':sessionId')
  @Requires('admin', { people: false })
  @Route({ id: 'revokeMemberSession', summary: "End one of a member's sessions", answer: null, problems: [404] })
  revoke(@Caller() caller: Principal, @Param('id') id: string, @Param('sessionId') sessionId: string): Promise<void> {
    return this.sessions.revoke(caller, id, sessionId);
  }
}
