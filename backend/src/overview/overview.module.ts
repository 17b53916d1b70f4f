import { Module } from '@nestjs/common';
import { InventoryModule } from '../inventory/inventory.module.js';
import { EnvironmentOverviewReader } from './environment-overview.reader.js';
import { OverviewController } from './overview.controller.js';
import { OverviewReader } from './overview.reader.js';
import { ServerOverviewReader } from './server-overview.reader.js';

@Module({
  imports: [InventoryModule],
  controllers: [OverviewController],
  providers: [OverviewReader, EnvironmentOverviewReader, ServerOverviewReader],
})
export class OverviewModule {}
