# tf.function(f, input_signature=input_signature)
import tensorflow as tf

input_signature = [
    tf.TensorSpec(shape=[None, 4, None, None], dtype=tf.float16, name="sample"),
    tf.TensorSpec(shape=[None], dtype=tf.float32, name="timestep"),
    tf.TensorSpec(shape=[None, 77, 768], dtype=tf.float16, name="encoder_hidden_states"),
]
