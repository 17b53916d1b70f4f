import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { getListeningTimeMs } from '../../transport/listening-time.js';
import { type Contact, type ContactFinding, ServerContact } from '../checks/server-contact.js';
import { connectionFailed, hostKeyVerdict, STEP_BY_STAGE, toStageVerdict } from './connection-advice.js';
import { Diagnosis, ok } from './diagnosis.js';
import { type DiagnosisView, toDiagnosisView } from './diagnosis.view.js';
import { examineHost } from './host-examination.js';

/**
 * Uses the connection path of a run, and reports the duration or the obstacle of each part. It connects by the same
 * rules as a check, and its findings are stored like those of a check.
 */
@Injectable()
export class ServerDoctor {
  constructor(private readonly contacts: ServerContact) {}

  /** @throws Problem 404; 409 `grant_required` */
  async diagnose(caller: Principal, id: string): Promise<DiagnosisView> {
    const contact = await this.contacts.begin(caller, id);
    const at = new Date().toISOString();
    const diagnosis = new Diagnosis(getListeningTimeMs);
    const finding = await this.contactServer(contact, diagnosis);
    const step = diagnosis.current;
    if (finding.error && step) diagnosis.conclude(connectionFailed(step, finding.error, contact));
    else if (finding.state !== 'reachable' && finding.state !== 'no_commands')
      diagnosis.conclude(hostKeyVerdict(finding));
    await this.contacts.store(caller, contact, finding, 'server.diagnose');
    return toDiagnosisView(contact.server.id, at, diagnosis.steps());
  }

  private contactServer(contact: Contact, diagnosis: Diagnosis): Promise<ContactFinding> {
    const { username } = contact.server;
    return this.contacts.find(contact, {
      onStage: (stage, detail) => {
        if (diagnosis.current === STEP_BY_STAGE[stage]) diagnosis.conclude(toStageVerdict(stage, detail, contact));
      },
      onSignedIn: (connection) => {
        diagnosis.conclude(ok(`The host accepted the login of ${username} with the server's key.`));
        return examineHost(connection, username, diagnosis);
      },
    });
  }
}
