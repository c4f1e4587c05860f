// What the pages can do beyond plain links and forms. Everything here is an addition: with these files gone
// each page still works. Nothing is evaluated and nothing from the server is ever put in as HTML by hand,
// except whole fragments of our own pages (live updates), which the browser parses inertly.
import { startActivity } from "./modules/activity.js";
import { startBack } from "./modules/back.js";
import { startBrush } from "./modules/brush.js";
import { startCopying } from "./modules/clipboard.js";
import { startCountdown } from "./modules/countdown.js";
import { startDialogs } from "./modules/dialogs.js";
import { startEditor } from "./modules/editor.js";
import { startForms } from "./modules/forms.js";
import { startFragments } from "./modules/fragments.js";
import { startKeyboard } from "./modules/keyboard.js";
import { startLive } from "./modules/live.js";
import { startLogs } from "./modules/logs.js";
import { startMenus } from "./modules/menus.js";
import { startPasting } from "./modules/pasting.js";
import { startPayload } from "./modules/payload.js";
import { startRefusals } from "./modules/refusals.js";
import { startSections } from "./modules/sections.js";
import { startSelection } from "./modules/selection.js";
import { startFilterTerms } from "./modules/filter_terms.js";
import { startSuggestions } from "./modules/suggestions.js";
import { startTheme } from "./modules/theme.js";
import { startToasts } from "./modules/toasts.js";
import { startToggles } from "./modules/toggles.js";
import { startTraces } from "./modules/traces.js";

startRefusals(); // first: what it refuses, no other one hears of
startSelection();
startTheme();
startDialogs();
startCopying();
startPasting();
startPayload();
startTraces();
startToasts();
startToggles();
startMenus();
startEditor();
startFilterTerms(); // before the forms: it fills a field that they send
startSuggestions();
startForms();
startFragments();
startKeyboard();
startLive();
startActivity();
startCountdown();
startSections();
startLogs();
startBrush();
startBack();
