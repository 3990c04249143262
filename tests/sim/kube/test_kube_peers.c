#include "sim/kube/kube_peers.h"

#include <stdio.h>

#include "tests/sim/constraint_case.h"

#define WATCH JOB("watch", "1", "", FAR(SELECTS("app: x") ", topologyKey: " HOST))

START_TEST(without_constraints_there_are_no_peers)
{
	struct constraint_case c;

	constraint_case_open(&c, NODES JOB("a", "2", "app: x", ""));
	ck_assert_ptr_null(c.peers);
	kube_peers_free(c.peers);
	constraint_case_close(&c);
}
END_TEST

/* Labels that nobody asks about do not tell pods apart; namespaces do. */
START_TEST(alike_pods_are_one_kind)
{
	struct constraint_case c;

	constraint_case_open(&c, NODES WATCH JOB("a", "2", "app: x, who: ann", "")
					 JOB("b", "1", "who: bob, app: x", "")
						 JOB("c", "1", "app: m", "") JOB("d", "1", "", "")
							 JOB_IN("ml", "e", "1", "app: x", ""));
	ck_assert_uint_eq(constraint_case_kind(&c, "a"), constraint_case_kind(&c, "b"));
	ck_assert_uint_ne(constraint_case_kind(&c, "a"), constraint_case_kind(&c, "c"));
	ck_assert_uint_ne(constraint_case_kind(&c, "c"), constraint_case_kind(&c, "d"));
	ck_assert_uint_ne(constraint_case_kind(&c, "a"), constraint_case_kind(&c, "e"));
	ck_assert_uint_eq(c.peers->kind_count, 5);
	constraint_case_close(&c);
}
END_TEST

#define NS(name, labels)                                                                           \
	"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: " name ", labels: {" labels "}}\n"
#define ASKS(rule) JOB("watch", "1", "", FAR(SELECTS("app: x") ", topologyKey: " HOST rule))

static const struct {
	const char *name, *text;
	bool here, ml, web; /* are pods with app=x there selected? */
} namespaces[] = {
	{"its own by default", ASKS(""), true, false, false},
	{"those named", ASKS(", namespaces: [ml, web]"), false, true, true},
	{"all of them", ASKS(", namespaceSelector: {}"), true, true, true},
	{"those with a label", ASKS(", namespaceSelector: {matchLabels: {team: gpu}}"), false, true,
	 false},
	{"by their own name",
	 ASKS(", namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: web}}"), false,
	 false, true},
	{"named and selected together",
	 ASKS(", namespaces: [web], namespaceSelector: {matchLabels: {team: gpu}}"), false, true,
	 true},
};

START_TEST(terms_select_in_namespaces)
{
	char text[8000];
	struct constraint_case c;
	const struct pod_term *term;
	uint32_t by;

	snprintf(text, sizeof(text), "%s%s", namespaces[_i].text,
		 NODES NS("ml", "team: gpu") NS("web", "") JOB("here", "1", "app: x", "")
			 JOB_IN("ml", "ml", "1", "app: x", "")
				 JOB_IN("web", "web", "1", "app: x", "")
					 JOB("other", "1", "app: m", ""));
	constraint_case_open(&c, text);
	by = constraint_case_kind(&c, "watch");
	term = &c.peers->kinds[by].constraints->terms[0];
	ck_assert(kube_peers_selected(c.peers, term, by, constraint_case_kind(&c, "here")) ==
		  namespaces[_i].here);
	ck_assert(kube_peers_selected(c.peers, term, by, constraint_case_kind(&c, "ml")) ==
		  namespaces[_i].ml);
	ck_assert(kube_peers_selected(c.peers, term, by, constraint_case_kind(&c, "web")) ==
		  namespaces[_i].web);
	ck_assert(!kube_peers_selected(c.peers, term, by, constraint_case_kind(&c, "other")));
	constraint_case_close(&c);
}
END_TEST

START_TEST(labels_divide_the_nodes)
{
	struct constraint_case c;
	const struct kube_topology *t;

	constraint_case_open(
		&c, NODES JOB("a", "1", "", FAR(SELECTS("app: x") ", topologyKey: " ZONE))
			    JOB("b", "1", "", FAR(SELECTS("app: x") ", topologyKey: " HOST)));
	ck_assert_uint_eq(c.peers->topology_count, 2);
	t = &c.peers->topologies[kube_peers_topology(c.peers, objects_case_string(c.s, ZONE))];
	ck_assert_uint_eq(t->domain_count, 2);
	ck_assert_uint_eq(t->domain[0], t->domain[1]);
	ck_assert_uint_ne(t->domain[0], t->domain[2]);
	ck_assert_uint_eq(t->domain[3], PEERS_NO_DOMAIN);
	/* Without the label a node's host name is its own, as kubelet would say. */
	t = &c.peers->topologies[kube_peers_topology(c.peers, objects_case_string(c.s, HOST))];
	ck_assert_uint_eq(t->domain_count, 4);
	constraint_case_close(&c);
}
END_TEST

START_TEST(a_node_moves_to_another_domain)
{
	struct constraint_case c;
	const struct kube_topology *t;

	constraint_case_open(
		&c, NODES JOB("a", "1", "", FAR(SELECTS("app: x") ", topologyKey: " ZONE)));
	t = &c.peers->topologies[0];
	ck_assert(!kube_peers_node(c.peers, 1));
	c.world.nodes[1].labels = c.world.nodes[2].labels;
	ck_assert(kube_peers_node(c.peers, 1));
	ck_assert_uint_eq(t->domain[1], t->domain[2]);
	c.world.nodes[1].labels = c.world.nodes[3].labels;
	ck_assert(kube_peers_node(c.peers, 1));
	ck_assert_uint_eq(t->domain[1], PEERS_NO_DOMAIN);
	constraint_case_close(&c);
}
END_TEST

START_TEST(pods_are_counted_by_node)
{
	struct constraint_case c;
	const struct kube_kind *kind;

	constraint_case_open(&c, NODES WATCH JOB("a", "3", "app: x", ""));
	kind = &c.peers->kinds[constraint_case_kind(&c, "a")];
	constraint_case_bind(&c, "a", 0, 1);
	constraint_case_bind(&c, "a", 1, 1);
	constraint_case_bind(&c, "a", 2, 2);
	ck_assert_uint_eq(kind->spot_count, 2);
	ck_assert_uint_eq(kind->spots[0].pods, 2);
	kube_peers_leaving(c.peers, constraint_case_pod(&c, "a", 0), 1);
	ck_assert_uint_eq(kind->spots[0].leaving, 1);
	kube_peers_gone(c.peers, constraint_case_pod(&c, "a", 0), 1, true);
	ck_assert_uint_eq(kind->spots[0].pods, 1);
	ck_assert_uint_eq(kind->spots[0].leaving, 0);
	kube_peers_gone(c.peers, constraint_case_pod(&c, "a", 1), 1, false);
	ck_assert_uint_eq(kind->spot_count, 1);
	ck_assert_uint_eq(kind->spots[0].node, 2);
	constraint_case_close(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, without_constraints_there_are_no_peers);
	tcase_add_test(t, alike_pods_are_one_kind);
	tcase_add_loop_test(t, terms_select_in_namespaces, 0, ROWS(namespaces));
	tcase_add_test(t, labels_divide_the_nodes);
	tcase_add_test(t, a_node_moves_to_another_domain);
	tcase_add_test(t, pods_are_counted_by_node);
	return objects_case_run("kube_peers", t);
}
