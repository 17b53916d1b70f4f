import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { ChannelSender } from './channels/channel-sender.js';
import { NotificationMetrics } from './notification-metrics.js';
import { NotificationRulesController } from './notification-rules.controller.js';
import { NotificationRulesService } from './notification-rules.service.js';
import { RuleLookup } from './records/rule-lookup.js';
import { RuleVault } from './records/rule-vault.js';
import { RuleDeliveries } from './rule-deliveries.js';
import { RuleReader } from './rule-reader.js';
import { RuleTests } from './rule-tests.js';
import { MailSender } from './sending/mail-sender.js';

@Module({
  imports: [AuditModule, EnvironmentsModule, OutboxModule, PlansModule],
  controllers: [NotificationRulesController],
  providers: [
    NotificationRulesService,
    RuleLookup,
    RuleReader,
    RuleVault,
    RuleTests,
    RuleDeliveries,
    ChannelSender,
    MailSender,
    NotificationMetrics,
  ],
})
export class NotificationsModule {}
