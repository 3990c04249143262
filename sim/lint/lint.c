#include "sim/lint/lint.h"

void lint_scenario(struct builder *builder, const struct scenario *scenario,
		   const struct lint_places *places, const struct alike *alike)
{
	struct lint l;

	lint_look_begin(&l, builder, scenario, places, alike);
	lint_jobs(&l);
	lint_flavors(&l);
	lint_queues(&l);
	lint_labels(&l);
	lint_look_end(&l);
}
