import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, TakesIfMatch } from '../common/http/if-match.js';
import { Route } from '../common/http/route.js';
import {
  CreateNotificationRuleRequest,
  ListNotificationDeliveriesQuery,
  ListNotificationRulesQuery,
  TestNotificationRuleRequest,
  UpdateNotificationRuleRequest,
} from './notification-rules.dto.js';
import { NotificationRulesService } from './notification-rules.service.js';
import {
  NotificationDeliveryListView,
  NotificationDeliveryView,
  NotificationRuleListView,
  NotificationRuleView,
  NotificationTestView,
} from './notification-rules.view.js';
import { RuleDeliveries } from './rule-deliveries.js';
import { RuleTests } from './rule-tests.js';

@ApiTags('Notification rules')
@Controller('api/notification-rules')
export class NotificationRulesController {
  constructor(
    private readonly rules: NotificationRulesService,
    private readonly tests: RuleTests,
    private readonly deliveries: RuleDeliveries,
  ) {}

  @Get()
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'listNotificationRules',
    summary: 'List notification rules',
    description:
      'Admins see all rules, operators those that they made or saved last; a token that is narrowed to environments those of these that are bound to no others.',
    answer: NotificationRuleListView,
    problems: [400],
  })
  list(@Caller() caller: Principal, @Query() query: ListNotificationRulesQuery): Promise<NotificationRuleListView> {
    return this.rules.list(caller, query);
  }

  @Get(':id')
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'getNotificationRule',
    summary: 'Get a notification rule',
    answer: NotificationRuleView,
    problems: [404],
  })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<NotificationRuleView> {
    return this.rules.get(caller, id);
  }

  @Post()
  @Requires('operator')
  @Route({
    id: 'createNotificationRule',
    summary: 'Make a notification rule',
    description:
      'It tells of what happens from then on, in environments that whoever saved it last may see at that time, and each cause once.',
    answer: NotificationRuleView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateNotificationRuleRequest): Promise<NotificationRuleView> {
    return this.rules.create(caller, body);
  }

  @Post('test')
  @Requires('operator')
  @Route({
    id: 'testNotificationChannel',
    summary: 'Send a test before a rule is saved',
    description:
      'Sends a message that is marked as a test, and answers with what happened, after 12 seconds at the latest.',
    answer: NotificationTestView,
    problems: [400, 404, 413, 415],
  })
  testChannel(@Caller() caller: Principal, @Body() body: TestNotificationRuleRequest): Promise<NotificationTestView> {
    return this.tests.ofChannel(caller, body);
  }

  @Patch(':id')
  @Requires('operator')
  @TakesIfMatch()
  @Route({
    id: 'updateNotificationRule',
    summary: 'Change a notification rule',
    description:
      'Whoever saves a rule is its owner from then on: it tells of what they may see. Another type of channel, or another server of ntfy, takes the address or token away unless it is given anew.',
    answer: NotificationRuleView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateNotificationRuleRequest,
    @IfMatch() version: number | null,
  ): Promise<NotificationRuleView> {
    return this.rules.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('operator')
  @TakesIfMatch()
  @Route({
    id: 'deleteNotificationRule',
    summary: 'Delete a notification rule and what is known of its messages',
    answer: null,
    problems: [404, 412],
  })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.rules.delete(caller, id, version);
  }

  @Post(':id/test')
  @Requires('operator')
  @Route({
    id: 'testNotificationRule',
    summary: 'Send a test by a notification rule',
    description:
      'Sends a message that is marked as a test, and answers with what happened, after 12 seconds at the latest.',
    answer: NotificationTestView,
    problems: [404],
  })
  test(@Caller() caller: Principal, @Param('id') id: string): Promise<NotificationTestView> {
    return this.tests.ofRule(caller, id);
  }

  @Get(':id/deliveries')
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'listNotificationDeliveries',
    summary: 'List the messages of a notification rule, newest first',
    description: 'Those of the last 30 days, about environments that you may see.',
    answer: NotificationDeliveryListView,
    problems: [400, 404],
  })
  listDeliveries(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListNotificationDeliveriesQuery,
  ): Promise<NotificationDeliveryListView> {
    return this.deliveries.list(caller, id, query);
  }

  @Post(':id/deliveries/:deliveryId/resend')
  @Requires('operator')
  @Route({
    id: 'resendNotification',
    summary: 'Send a message again that has failed',
    description: 'A worker tries it at once, and for a day if need be.',
    answer: NotificationDeliveryView,
    status: 202,
    problems: [404, 409],
  })
  resend(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<NotificationDeliveryView> {
    return this.deliveries.resend(caller, id, deliveryId);
  }
}
