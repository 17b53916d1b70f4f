import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { GitSourcesModule } from '../git-sources/git-sources.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { TemplateRenderer } from './rendering/template-renderer.js';
import { TemplatePreview } from './template-preview.js';
import { TemplateReader } from './template.reader.js';
import { TemplatesController } from './templates.controller.js';
import { TemplatesService } from './templates.service.js';

@Module({
  imports: [AuditModule, GitSourcesModule, EnvironmentsModule],
  controllers: [TemplatesController],
  providers: [TemplatesService, TemplatePreview, TemplateReader, TemplateRenderer],
  exports: [TemplateReader, TemplateRenderer],
})
export class TemplatesModule {}
