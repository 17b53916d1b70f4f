import { ApiProperty } from '@nestjs/swagger';
import { PermittedPeopleView } from '../../environments/grants/permitted-people.view.js';
import { UserReference } from '../../common/http/user-reference.view.js';
import { DECISION_ACTIONS, type DecisionAction, PAUSE_REASONS, type PauseReason } from '../lifecycle/statuses.js';

/** People who may act on a run, apart from limits of their tokens. */
export class RunPermissionsView {
  /** People who may cancel, pause and rerun the run, answer its pauses and resolve its unknown results. */
  control: PermittedPeopleView;
  /** People who can approve the run now: they have the right, and no rule prevents it. Null = it waits for no approval. */
  @ApiProperty({ type: PermittedPeopleView, nullable: true })
  approve: PermittedPeopleView | null;
  /** People who may start the run despite a freeze or outside of the run windows, and delete it. */
  administer: PermittedPeopleView;
}

/** Answer of a member to a pause. */
export class PauseAnswerView {
  /** Time of the answer, in UTC. */
  at: string;
  user: UserReference;
  /** What the run waited for. */
  @ApiProperty({ enum: PAUSE_REASONS, nullable: true })
  pauseReason: PauseReason | null;
  stepKey: string;
  /** Action that the member chose. */
  @ApiProperty({ enum: DECISION_ACTIONS })
  action: DecisionAction;
  /** Number of hosts that the answer is about; null = the default hosts of the action. */
  @ApiProperty({ type: 'integer', nullable: true })
  hostCount: number | null;
  @ApiProperty({ type: String, nullable: true })
  comment: string | null;
}

/** Answers to the pauses of a run. */
export class PauseAnswersView {
  /** The newest 500 answers, oldest first. */
  @ApiProperty({ type: [PauseAnswerView] })
  items: PauseAnswerView[];
  /** Number of older answers that are not in `items`. */
  moreAnswers: number;
}
