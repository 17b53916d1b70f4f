import { ApiProperty } from '@nestjs/swagger';
import { MissingResultsView, NamedHostView } from '../../common/http/problem.view.js';

/** A step and hosts of it. */
export class StepHostsView {
  stepKey: string;
  stepName: string;
  /** How many hosts. */
  count: number;
  /** The first 20 of them. */
  @ApiProperty({ type: [NamedHostView] })
  hosts: NamedHostView[];
}

/** What a rerun would do of one step; counts are of hosts. */
export class RerunStepView {
  key: string;
  name: string;
  /** No host comes to it: it stands before the first step, or all of its hosts have done it. */
  leftOut: boolean;
  /** On which it would run, if its conditions hold and it changes what a handler waits for. */
  runs: number;
  /** Of these, which had done it before. */
  repeats: number;
  /** Which have done it, and would not run it again. */
  done: number;
}

/** What a rerun would do, before it is started. */
export class RerunPreviewView {
  hostCount: number;
  /** The digest that the run would have. */
  digest: string;
  /** How many results of the run before it would take over. */
  inheritedResults: number;
  @ApiProperty({ type: [RerunStepView] })
  steps: RerunStepView[];
  /** What would run again where it had been done. */
  @ApiProperty({ type: [StepHostsView] })
  repeats: StepHostsView[];
  /** What would still be without a success on hosts, of all that the run before had, once this one has succeeded. */
  @ApiProperty({ type: [StepHostsView] })
  gaps: StepHostsView[];
  /** Results that steps would look for in vain: the start is refused unless it says `acceptGaps`. */
  @ApiProperty({ type: [MissingResultsView] })
  missing: MissingResultsView[];
}
