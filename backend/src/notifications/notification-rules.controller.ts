import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
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
      'All rules for admins; for operators, the rules that they created or last saved. A token that is limited to environments sees only the rules bound to these environments alone.',
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
    summary: 'Create a notification rule',
    description:
      'It reports later events in environments that the member who last saved it can see at that time. Each cause is reported once.',
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
    summary: 'Test a notification channel before saving a rule',
    description: 'Sends a message that is marked as a test and returns the result within 12 seconds.',
    answer: NotificationTestView,
    problems: [400, 404, 413, 415],
  })
  testChannel(@Caller() caller: Principal, @Body() body: TestNotificationRuleRequest): Promise<NotificationTestView> {
    return this.tests.ofChannel(caller, body);
  }

  @Patch(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'updateNotificationRule',
    summary: 'Change a notification rule',
    description:
      'The member who saves a rule becomes its owner: it reports what they can see. Another channel type or another ntfy server removes the address or token, unless the request sends a new one.',
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
  @AcceptsIfMatch()
  @Route({
    id: 'deleteNotificationRule',
    summary: 'Delete a notification rule and the records of its messages',
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
    summary: 'Test a notification rule',
    description: 'Sends a message that is marked as a test and returns the result within 12 seconds.',
    answer: NotificationTestView,
    problems: [404],
  })
  test(@Caller() caller: Principal, @Param('id') id: string): Promise<NotificationTestView> {
    return this.tests.testRule(caller, id);
  }

  @Get(':id/deliveries')
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'listNotificationDeliveries',
    summary: 'List messages of a notification rule, newest first',
    description: 'Messages of the last 30 days about environments that you can see.',
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
    summary: 'Resend a failed message',
    description: 'A worker sends it at once, and retries for up to a day.',
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
