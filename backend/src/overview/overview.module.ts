import { Module } from '@nestjs/common';
import { OverviewController } from './overview.controller.js';
import { OverviewReader } from './overview.reader.js';

@Module({ controllers: [OverviewController], providers: [OverviewReader] })
export class OverviewModule {}
