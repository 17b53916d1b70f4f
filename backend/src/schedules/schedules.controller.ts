import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
import { Route } from '../common/http/route.js';
import { OccurrencesReader } from './occurrences.reader.js';
import { OccurrencesView } from './occurrences.view.js';
import {
  CreateScheduleRequest,
  ListFiresQuery,
  ListOccurrencesQuery,
  ListSchedulesQuery,
  PreviewScheduleRequest,
  UpdateScheduleRequest,
} from './schedules.dto.js';
import { SchedulesService } from './schedules.service.js';
import { ScheduleFireListView, ScheduleListView, SchedulePreviewView, ScheduleView } from './schedules.view.js';

@ApiTags('Schedules')
@Controller('api/schedules')
export class SchedulesController {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly occurrences: OccurrencesReader,
  ) {}

  @Get()
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listSchedules',
    summary: 'List schedules',
    description:
      'Schedules in environments that you can see. A token that is limited to plans sees only the schedules of these plans.',
    answer: ScheduleListView,
    problems: [400],
  })
  list(@Caller() caller: Principal, @Query() query: ListSchedulesQuery): Promise<ScheduleListView> {
    return this.schedules.list(caller, query);
  }

  // Before `:id`, which would match the path.
  @Get('occurrences')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listOccurrences',
    summary: 'List past and coming occurrences of schedules',
    description:
      'Of all schedules that you can see, in a period of at most 45 days. Coming occurrences follow the time zone of each schedule.',
    answer: OccurrencesView,
    problems: [400],
  })
  occurrencesBetween(@Caller() caller: Principal, @Query() query: ListOccurrencesQuery): Promise<OccurrencesView> {
    return this.occurrences.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer', { reach: 'plan' })
  @Route({ id: 'getSchedule', summary: 'Get a schedule', answer: ScheduleView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<ScheduleView> {
    return this.schedules.get(caller, id);
  }

  @Post()
  @Requires('operator', { reach: 'plan' })
  @Route({
    id: 'createSchedule',
    summary: 'Create a schedule for a plan',
    description:
      'Each run uses the rights that you have at that time, limited by the scope of the token that saved the schedule. In a protected environment, each run waits for approval.',
    answer: ScheduleView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateScheduleRequest): Promise<ScheduleView> {
    return this.schedules.create(caller, body);
  }

  @Post('preview')
  @Requires('viewer', { reach: 'plan', access: 'read' })
  @Route({
    id: 'previewSchedule',
    summary: 'Preview the next times of an unsaved schedule',
    description:
      'A fixed time (no `*` and no step in minute and hour) occurs once a day even when clocks change: at the end of a gap, and at the first of two repeated hours. Other times follow the clock.',
    answer: SchedulePreviewView,
    problems: [400, 413, 415],
  })
  preview(@Caller() caller: Principal, @Body() body: PreviewScheduleRequest): Promise<SchedulePreviewView> {
    return this.schedules.preview(caller, body);
  }

  @Patch(':id')
  @Requires('operator', { reach: 'plan' })
  @AcceptsIfMatch()
  @Route({
    id: 'updateSchedule',
    summary: 'Change, pause or resume a schedule',
    description:
      'A member who changes its content or times, or resumes it, becomes its owner: it then runs with their rights. Changes of name, note, labels and a pause keep the owner.',
    answer: ScheduleView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateScheduleRequest,
    @IfMatch() version: number | null,
  ): Promise<ScheduleView> {
    return this.schedules.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('operator', { reach: 'plan' })
  @AcceptsIfMatch()
  @Route({
    id: 'deleteSchedule',
    summary: 'Delete a schedule',
    description: 'Runs that it started are kept.',
    answer: null,
    problems: [404, 409, 412],
  })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.schedules.delete(caller, id, version);
  }

  @Post(':id/take-over')
  @Requires('operator', { reach: 'plan' })
  @Route({
    id: 'takeOverSchedule',
    summary: 'Take over a schedule',
    description:
      'It then runs with your rights. You also accept its plan, scripts and templates in their current state.',
    answer: ScheduleView,
    problems: [404, 409],
  })
  takeOver(@Caller() caller: Principal, @Param('id') id: string): Promise<ScheduleView> {
    return this.schedules.takeOver(caller, id);
  }

  @Get(':id/fires')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listScheduleFires',
    summary: 'List the results of the times of a schedule, newest first',
    description: 'The last 100 are kept.',
    answer: ScheduleFireListView,
    problems: [400, 404],
  })
  fires(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListFiresQuery,
  ): Promise<ScheduleFireListView> {
    return this.schedules.listFires(caller, id, query);
  }
}
