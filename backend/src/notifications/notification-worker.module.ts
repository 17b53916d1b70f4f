import { Module } from '@nestjs/common';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { RunNoticeReader } from '../executions/notices/run-notice.reader.js';
import { ChannelSender } from './channels/channel-sender.js';
import { DeliveryContent } from './delivery/delivery-content.js';
import { MissedContent } from './delivery/missed-content.js';
import { NotificationWorker } from './delivery/notification-worker.js';
import { RuleVault } from './records/rule-vault.js';
import { MailSender } from './sending/mail-sender.js';

@Module({
  imports: [EnvironmentsModule],
  providers: [
    NotificationWorker,
    DeliveryContent,
    MissedContent,
    RunNoticeReader,
    RuleVault,
    ChannelSender,
    MailSender,
  ],
})
export class NotificationWorkerModule {}
