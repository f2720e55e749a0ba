// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module cansim: simulated CAN buses, generators and recorders of frames, and
 * the directory in configfs. Models of controllers are separate modules, which
 * register their kinds of nodes here.
 */
#include <linux/module.h>

#include "chip.h"

static int __init can_sim_module_init(void)
{
	int ret;

	can_sim_wire_init();
	ret = can_sim_kind_register(&can_sim_generator);
	if (ret)
		return ret;
	ret = can_sim_kind_register(&can_sim_recorder);
	if (ret)
		goto out_generator;
	ret = can_sim_kind_register(&can_sim_trigger);
	if (ret)
		goto out_recorder;
	ret = can_sim_configfs_init();
	if (ret)
		goto out_trigger;
	return 0;

out_trigger:
	can_sim_kind_unregister(&can_sim_trigger);
out_recorder:
	can_sim_kind_unregister(&can_sim_recorder);
out_generator:
	can_sim_kind_unregister(&can_sim_generator);
	return ret;
}

static void __exit can_sim_module_exit(void)
{
	can_sim_configfs_exit();
	can_sim_kind_unregister(&can_sim_trigger);
	can_sim_kind_unregister(&can_sim_recorder);
	can_sim_kind_unregister(&can_sim_generator);
}

module_init(can_sim_module_init);
module_exit(can_sim_module_exit);

MODULE_DESCRIPTION("Simulated CAN buses and controllers");
MODULE_LICENSE("GPL");
